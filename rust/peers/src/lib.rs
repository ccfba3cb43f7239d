//! A `CryptoProvider` for rustls whose AES-GCM suites of TLS 1.3 use Rijn. The other suites, key exchange,
//! signatures, hashes and random numbers are those of aws-lc-rs.

use rijn::{
    Aes128Gcm, Aes256Gcm,
    aead::{AeadInOut, KeyInit, consts::U12, consts::U16, inout::InOutBuf},
};
use rustls::{
    CipherSuite, ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion,
    SupportedCipherSuite, Tls13CipherSuite,
    crypto::{
        CryptoProvider,
        cipher::{
            AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter,
            MessageEncrypter, Nonce, OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload,
            Tls13AeadAlgorithm, UnsupportedOperationError, make_tls13_aad,
        },
    },
};
use std::marker::PhantomData;

const TAG: usize = 16;

/// Returns the provider. A program installs it with `install_default`, or gives it to
/// `ClientConfig::builder_with_provider`.
pub fn provider() -> CryptoProvider {
    let base = rustls::crypto::aws_lc_rs::default_provider();
    let cipher_suites =
        base.cipher_suites.iter().map(|suite| with_rijn(suite).unwrap_or(*suite)).collect();
    CryptoProvider { cipher_suites, ..base }
}

/// Returns the same suite with Rijn's AES-GCM, or `None` for other suites.
fn with_rijn(suite: &SupportedCipherSuite) -> Option<SupportedCipherSuite> {
    let suite = suite.tls13()?;
    let aead_alg: &'static dyn Tls13AeadAlgorithm = match suite.common.suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 => &Gcm::<Aes128Gcm>(PhantomData),
        CipherSuite::TLS13_AES_256_GCM_SHA384 => &Gcm::<Aes256Gcm>(PhantomData),
        _ => return None,
    };
    // rustls takes suites that live as long as the program.
    let ours = Box::leak(Box::new(Tls13CipherSuite {
        common: rustls::crypto::CipherSuiteCommon {
            suite: suite.common.suite,
            hash_provider: suite.common.hash_provider,
            confidentiality_limit: suite.common.confidentiality_limit,
        },
        hkdf_provider: suite.hkdf_provider,
        aead_alg,
        quic: None,
    }));
    Some(SupportedCipherSuite::Tls13(ours))
}

/// An AEAD of Rijn's as rustls asks for it.
struct Gcm<A>(PhantomData<fn() -> A>);

/// A key that is erased when rustls drops it, and the static IV.
struct Records<A> {
    cipher: A,
    iv: Iv,
}

impl<A> Records<A>
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + Send + Sync + 'static,
{
    fn new(key: AeadKey, iv: Iv) -> Box<Self> {
        let cipher = A::new_from_slice(key.as_ref()).expect("rustls asks for key_len() first");
        Box::new(Self { cipher, iv })
    }
}

impl<A> Tls13AeadAlgorithm for Gcm<A>
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + Send + Sync + 'static,
{
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Records::<A>::new(key, iv)
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Records::<A>::new(key, iv)
    }

    fn key_len(&self) -> usize {
        A::key_size()
    }

    fn extract_keys(
        &self,
        key: AeadKey,
        iv: Iv,
    ) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(match A::key_size() {
            16 => ConnectionTrafficSecrets::Aes128Gcm { key, iv },
            _ => ConnectionTrafficSecrets::Aes256Gcm { key, iv },
        })
    }
}

impl<A> MessageEncrypter for Records<A>
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + Send + Sync,
{
    fn encrypt(
        &mut self,
        message: OutboundPlainMessage<'_>,
        number: u64,
    ) -> Result<OutboundOpaqueMessage, Error> {
        let size = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(size);
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&message.typ.to_array());
        let nonce = Nonce::new(&self.iv, number).0.into();
        let text = InOutBuf::from(payload.as_mut());
        let tag = self.cipher.encrypt_inout_detached(&nonce, &make_tls13_aad(size), text);
        payload.extend_from_slice(&tag.map_err(|_| Error::EncryptError)?);
        Ok(OutboundOpaqueMessage::new(
            ContentType::ApplicationData,
            ProtocolVersion::TLSv1_2, // RFC 8446, section 5.1
            payload,
        ))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + TAG
    }
}

impl<A> MessageDecrypter for Records<A>
where
    A: AeadInOut<NonceSize = U12, TagSize = U16> + Send + Sync,
{
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        number: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let payload = &mut message.payload;
        let aad = make_tls13_aad(payload.len());
        let text_size = payload.len().checked_sub(TAG).ok_or(Error::DecryptError)?;
        let (text, tag) = payload.split_at_mut(text_size);
        let tag = (&*tag).try_into().map_err(|_| Error::DecryptError)?;
        let nonce = Nonce::new(&self.iv, number).0.into();
        self.cipher
            .decrypt_inout_detached(&nonce, &aad, text.into(), tag)
            .map_err(|_| Error::DecryptError)?;
        payload.truncate(text_size);
        message.into_tls13_unpadded_message()
    }
}

/// Transfers over loopback, for the example and the test.
pub mod loopback {
    use rustls::{
        CipherSuite, ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection,
        Stream,
        crypto::CryptoProvider,
        pki_types::{CertificateDer, PrivateKeyDer},
    };
    use std::{
        error::Error,
        io::{Read, Write},
        net::{TcpListener, TcpStream},
        sync::Arc,
        thread,
        time::{Duration, Instant},
    };

    const PIECE: usize = 1 << 16;

    /// The byte of the text at a position.
    fn byte(position: u64) -> u8 {
        (position % 251) as u8
    }

    /// A certificate for localhost and its key.
    pub struct Identity {
        /// Also the only certificate that the client trusts.
        pub certificate: CertificateDer<'static>,
        /// Signs for the server.
        pub key: PrivateKeyDer<'static>,
    }

    /// Leaves only one suite.
    pub fn only(mut provider: CryptoProvider, suite: CipherSuite) -> CryptoProvider {
        provider.cipher_suites.retain(|it| it.suite() == suite);
        provider
    }

    /// A server sends `size` bytes to a client over TLS 1.3, and the client compares them. Returns
    /// the time from the client's first byte to its last.
    pub fn transfer(
        server: CryptoProvider,
        client: CryptoProvider,
        identity: &Identity,
        size: u64,
    ) -> Result<Duration, Box<dyn Error + Send + Sync>> {
        let tls13 = &[&rustls::version::TLS13];
        let server = ServerConfig::builder_with_provider(Arc::new(server))
            .with_protocol_versions(tls13)?
            .with_no_client_auth()
            .with_single_cert(vec![identity.certificate.clone()], identity.key.clone_key())?;
        let mut roots = RootCertStore::empty();
        roots.add(identity.certificate.clone())?;
        let client = ClientConfig::builder_with_provider(Arc::new(client))
            .with_protocol_versions(tls13)?
            .with_root_certificates(roots)
            .with_no_client_auth();

        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let sender = thread::spawn(move || -> Result<(), Box<dyn Error + Send + Sync>> {
            let (mut socket, _) = listener.accept()?;
            limit(&socket)?;
            let mut connection = ServerConnection::new(Arc::new(server))?;
            let mut stream = Stream::new(&mut connection, &mut socket);
            let text: Vec<u8> = (0..PIECE as u64 + 251).map(byte).collect();
            let mut sent = 0;
            while sent < size {
                let piece = PIECE.min((size - sent) as usize);
                stream.write_all(&text[(sent % 251) as usize..][..piece])?;
                sent += piece as u64;
            }
            stream.conn.send_close_notify();
            stream.flush()?;
            Ok(())
        });

        let mut socket = TcpStream::connect(address)?;
        limit(&socket)?;
        let mut connection = ClientConnection::new(Arc::new(client), "localhost".try_into()?)?;
        let mut stream = Stream::new(&mut connection, &mut socket);
        let expected: Vec<u8> = (0..PIECE as u64 + 251).map(byte).collect();
        let mut buffer = vec![0; PIECE];
        let mut received = 0;
        let mut begin = None;
        loop {
            let n = stream.read(&mut buffer)?;
            if n == 0 {
                break;
            }
            begin.get_or_insert_with(Instant::now);
            if buffer[..n] != expected[(received % 251) as usize..][..n] {
                return Err(format!("another text after {received} bytes").into());
            }
            received += n as u64;
        }
        let time = begin.map_or(Duration::ZERO, |begin| begin.elapsed());
        sender.join().map_err(|_| "the server panicked")??;
        if received != size {
            return Err(format!("{received} bytes of {size}").into());
        }
        Ok(time)
    }

    /// No call waits longer than this.
    fn limit(socket: &TcpStream) -> std::io::Result<()> {
        socket.set_read_timeout(Some(Duration::from_secs(60)))?;
        socket.set_write_timeout(Some(Duration::from_secs(60)))
    }
}
