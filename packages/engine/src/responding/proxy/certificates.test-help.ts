// A private certification authority for tests: server and client certificates that no system trusts.

import { generateKeyPairSync } from 'node:crypto';
import forge from 'node-forge';

export interface Pair {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 24 * 3600 * 1000;
let serial = 1;

/** A certificate for `name`, signed by `issuer` or by itself. */
export function certificate(name: string, issuer?: Pair): Pair {
  const { privateKey: key, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const made = forge.pki.createCertificate();
  made.publicKey = forge.pki.publicKeyFromPem(publicKey);
  made.serialNumber = `0${(serial++).toString(16)}`;
  made.validity.notBefore = new Date(Date.now() - DAY_MS);
  made.validity.notAfter = new Date(Date.now() + DAY_MS);
  made.setSubject([{ name: 'commonName', value: name }]);
  made.setIssuer(
    issuer === undefined ? made.subject.attributes : forge.pki.certificateFromPem(issuer.cert).subject.attributes,
  );
  made.setExtensions([{ name: 'basicConstraints', cA: issuer === undefined }]);
  made.sign(forge.pki.privateKeyFromPem(issuer?.key ?? key), forge.md.sha256.create());
  return { key, cert: forge.pki.certificateToPem(made) };
}
