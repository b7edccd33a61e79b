import { isLoopbackName } from '@kinora/settings/own-host';
import { contentPath } from '../../api/presenters/task-links.ts';
import { newId, newProjectId } from '../../domain/id.ts';
import { messageOf } from '../../health/part-problems.ts';
import { wireTaskLinks } from '../../wiring/wire-task-links.ts';
import { type DoctorCheck, failed, ok, warning } from './doctor-check.ts';

const signedMilliseconds = 60_000;

/** Requests a missing task's file by a URL that we signed: only an API with our keys responds that it is not there. */
export const publicUrlCheck: DoctorCheck = {
  id: 'public_url',
  looksAt: 'whether `KINORA_PUBLIC_URL` leads to an API with the same secret keys; loopback in production warns',
  needs: ['postgres.rights', 'secrets.strength'],
  async run({ config, foundation }) {
    const publicUrl = config.KINORA_PUBLIC_URL;
    const { signer } = wireTaskLinks(foundation);
    const now = foundation.clock.now();
    const url = signer.sign(
      contentPath(newId('task', now, newProjectId(now))),
      'video',
      new Date(now.getTime() + signedMilliseconds),
    );
    const remedy = `Start the API and its proxy, or correct KINORA_PUBLIC_URL. All links to videos start with it.`;
    let response: Response;
    try {
      response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(8_000) });
    } catch (error) {
      return failed(`${publicUrl} cannot be reached from this machine: ${messageOf(error)}.`, remedy);
    }
    const code = await response.json().then(codeOf, () => null);
    if (code !== 'task_not_found')
      return failed(
        `${publicUrl} does not lead to this installation: it responded with ${response.status}${code === null ? '' : ` ${code}`}.`,
        `${remedy} It must be an API with the same KINORA_SECRET_KEYS.`,
      );
    if (config.KINORA_ENV === 'production' && isLoopbackName(new URL(publicUrl).hostname))
      return warning(
        `${publicUrl} leads to this installation, but only from this machine.`,
        'Set KINORA_PUBLIC_URL to the URL at which callers reach the API, unless all of them are on this machine.',
      );
    return ok(`${publicUrl} leads to this installation.`);
  },
};

function codeOf(body: unknown): string | null {
  // Anything may be there; only the shape of our own errors counts.
  const { error } = (body ?? {}) as { error?: { code?: unknown } };
  return typeof error?.code === 'string' ? error.code : null;
}
