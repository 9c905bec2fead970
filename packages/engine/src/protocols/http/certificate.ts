// The certificate of an https imposter that brings none: self-signed for localhost, made once a process.
// The key comes from node:crypto; node-forge only writes the X.509 structure (RFC 5280), which Node cannot.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

export interface KeyPair {
  /** PEM. */
  readonly key: string;
  /** PEM. */
  readonly cert: string;
}

const require = createRequire(import.meta.url);
const VALID_DAYS = 3650;
let made: KeyPair | undefined;

/** RSA-2048 with SHA-256 for `localhost`, 127.0.0.1 and ::1; the same pair at every call. */
export function defaultKeyPair(): KeyPair {
  made ??= selfSigned();
  return made;
}

function selfSigned(): KeyPair {
  const forge = require('node-forge') as typeof import('node-forge');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // a positive serial number: the first bit must be 0
  certificate.serialNumber = `0${randomBytes(15).toString('hex')}`;
  certificate.validity.notBefore = new Date(Date.now() - 24 * 3600 * 1000);
  certificate.validity.notAfter = new Date(Date.now() + VALID_DAYS * 24 * 3600 * 1000);
  const name = [
    { name: 'organizationName', value: 'rift-ts' },
    { name: 'commonName', value: 'localhost' },
  ];
  certificate.setSubject(name);
  certificate.setIssuer(name);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, keyCertSign: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: [
        { type: 2, value: 'localhost' },
        { type: 7, ip: '127.0.0.1' },
        { type: 7, ip: '::1' },
      ],
    },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create());
  return { key: privateKey, cert: forge.pki.certificateToPem(certificate) };
}
