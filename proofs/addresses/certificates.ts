import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

export interface Certificate {
  key: Buffer;
  cert: Buffer;
}

export interface Certificates {
  /** The file of the authority that the installation trusts. */
  authorityPath: string;
  /** Valid for all names of the proof. */
  good: Certificate;
  /** Signed by the same authority, for another name. */
  otherName: Certificate;
  /** Valid for all names, signed by an authority that the installation does not trust. */
  untrusted: Certificate;
}

/** Makes the authorities and the certificates that they sign, with openssl. */
export function makeCertificates(folder: string, names: readonly string[]): Certificates {
  const openssl = (...words: string[]) => void execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const makeAuthority = (name: string) =>
    openssl('req', '-x509', ...newKey, ...`-keyout ${name}.key -out ${name}.crt -days 2 -subj /CN=${name}`.split(' '));
  const sign = (name: string, authority: string, subjects: readonly string[]): Certificate => {
    const alternatives = subjects.map((subject) => `${isIP(subject) ? 'IP' : 'DNS'}:${subject}`).join(',');
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=${alternatives}\n`);
    openssl('req', '-new', ...newKey, '-keyout', `${name}.key`, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
    const signing = ['-CA', `${authority}.crt`, '-CAkey', `${authority}.key`, '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signing, '-extfile', `${name}.ext`, '-out', `${name}.crt`);
    return { key: readFileSync(join(folder, `${name}.key`)), cert: readFileSync(join(folder, `${name}.crt`)) };
  };
  makeAuthority('authority');
  makeAuthority('stranger');
  return {
    authorityPath: join(folder, 'authority.crt'),
    good: sign('good', 'authority', names),
    otherName: sign('other-name', 'authority', ['elsewhere.test']),
    untrusted: sign('untrusted', 'stranger', names),
  };
}
