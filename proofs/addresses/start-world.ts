import { publicAddresses, publicZone, type World } from './address-case.ts';
import { makeBombs } from './body-cases.ts';
import { makeCertificates } from './certificates.ts';
import { publicName } from './forms.ts';
import { startInternet } from './internet.ts';
import { certificateNames } from './legitimate-cases.ts';
import { type Script, startNameServer } from './name-server.ts';
import { nameServerAddress, takeOverTheWorld } from './network.ts';

/** Ports that the corpus names, ports that are never open, and the port of the proxy in the environment. */
const canaryPorts = [22, 25, 3128, 6379, 8080, 9000, 11211];

/** Makes a new network namespace, in which this process runs, the internet of the cases, signed by `authorityPath`. */
export async function startWorld(folder: string): Promise<World & { authorityPath: string }> {
  takeOverTheWorld(folder);
  const certificates = makeCertificates(folder, certificateNames());
  const names = await startNameServer(nameServerAddress, respondUnknown);
  const internet = await startInternet(certificates, canaryPorts);
  const bombs = await makeBombs();
  let number = 0;
  return { internet, names, bombs, nextNumber: () => (number += 1), authorityPath: certificates.authorityPath };
}

/** Responds for names that no case defines: public names get the proof's servers, all others forbidden addresses. */
function respondUnknown({ name }: Parameters<Script>[0]): ReturnType<Script> {
  const { ipv4, ipv6 } = publicAddresses;
  if (name === publicName) return { addresses: [ipv4] };
  if (name.endsWith(`.${publicZone}`)) return { addresses: [ipv4, ipv6] };
  return { addresses: name.includes('metadata') ? ['169.254.169.254', 'fd00:ec2::254'] : ['127.0.0.1', '::1'] };
}
