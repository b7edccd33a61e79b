import { createTaskLinks } from '../api/presenters/task-links.ts';
import { createUrlSigner } from '../api/presenters/url-signer.ts';
import type { Foundation } from './foundation.ts';

/** Wires the links to a task's events and files, and the signer that verifies them. */
export function wireTaskLinks({ config, storage, clock }: Foundation) {
  const signer = createUrlSigner({ publicUrl: config.KINORA_PUBLIC_URL, secretKeys: config.KINORA_SECRET_KEYS, clock });
  return { signer, links: createTaskLinks({ signer, storage, clock }) };
}
