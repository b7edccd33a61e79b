import type { Event } from '@kinora/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { type Forwarded, forwardEvent } from '../forward-event.ts';
import { checkWebhookSecret, makeWebhookSecret } from '../sign-webhook.ts';
import { timeOfDay } from '../terminal/clock.ts';

/** `kinora listen`: webhooks on a machine that nobody can reach from outside. */
export function addListen(program: Command, context: () => Context): void {
  program
    .command('listen')
    .description('receive the events of the project and forward them as signed webhooks, until Ctrl-C')
    .requiredOption('--forward-to <URL>', 'your handler, such as http://localhost:3000/hook')
    .action(({ forwardTo }: { forwardTo: string }) => listen(context(), forwardTo));
}

async function listen(context: Context, url: string): Promise<void> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--forward-to must be an http or https URL, not "${url}".`);
  }
  const given = process.env['KINORA_WEBHOOK_SECRET'];
  const secret = given ? checkWebhookSecret(given) : makeWebhookSecret();
  const kinora = await context.kinora();
  // A wrong key or address is said now; later a service that is away is waited for.
  await kinora.limits();
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const told = given ? 'Signed with KINORA_WEBHOOK_SECRET.' : `Webhook secret: ${secret}`;
  context.print(`${told}\nForwarding to ${url}. Ctrl-C ends it.`, {
    ...(given ? {} : { secret }),
    forward_to: url,
  });
  const count = { forwarded: 0, refused: 0 };
  try {
    for await (const event of kinora.events({ signal: stop.signal })) {
      const outcome = await forwardEvent(event, { url, secret, signal: stop.signal });
      if (stop.signal.aborted) break;
      count[outcome.problem === null ? 'forwarded' : 'refused'] += 1;
      report(context, event, outcome);
    }
  } catch (error) {
    // Ctrl-C is how it ends, so that is no failure.
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
  context.remark(`\n${count.forwarded} events were taken, ${count.refused} were not.`);
}

function report({ print }: Context, event: Event, { status, milliseconds, problem }: Forwarded): void {
  const answer = [status === null ? 'failed' : String(status), `${milliseconds} ms`, problem ?? '']
    .join('  ')
    .trimEnd();
  const text = `${timeOfDay(Date.now() / 1000)}  ${event.type.padEnd(15)}  ${event.data.id}  ${answer}`;
  print(text, { event: event.id, type: event.type, task: event.data.id, status, milliseconds, problem });
}
