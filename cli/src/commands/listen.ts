import type { KinoraEvent } from '@kinora/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../exit-codes.ts';
import { type Forwarded, forwardEvent } from '../forward-event.ts';
import { helpExamples } from '../help-examples.ts';
import { checkWebhookSecret, makeWebhookSecret } from '../sign-webhook.ts';
import { timeOfDay } from '../terminal/clock.ts';
import { wrapTo } from '../terminal/text-width.ts';

/** Adds `kinora listen`, which delivers webhooks to a machine without a public address. */
export function addListen(program: Command, context: () => Context): void {
  program
    .command('listen')
    .description('receive the events of the project and forward them as signed webhooks, until Ctrl-C')
    .requiredOption('--forward-to <URL>', 'your handler, such as http://localhost:3000/hook')
    .addHelpText('after', helpExamples('kinora listen --forward-to http://localhost:3000/hook'))
    .action(({ forwardTo }: { forwardTo: string }) => listen(context(), forwardTo));
}

async function listen(context: Context, url: string): Promise<void> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError(`--forward-to must be an http or https URL, not "${url}".`);
  }
  const given = process.env['KINORA_WEBHOOK_SECRET'];
  const secret = given ? checkWebhookSecret(given) : makeWebhookSecret();
  const kinora = await context.kinora();
  // Reports a wrong key or address now. Once it listens, it reconnects to an unreachable service instead of failing.
  await kinora.limits.get();
  const stop = new AbortController();
  const end = () => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const signing = given ? 'Signed with KINORA_WEBHOOK_SECRET.' : `Webhook secret: ${secret}`;
  context.print(`${signing}\nForwarding to ${url}. Ctrl-C ends it.`, {
    ...(given ? {} : { secret }),
    forward_to: url,
  });
  const count = { forwarded: 0, refused: 0 };
  try {
    for await (const event of kinora.events.stream({ signal: stop.signal })) {
      const outcome = await forwardEvent(event, { url, secret, signal: stop.signal });
      if (stop.signal.aborted) break;
      count[outcome.problem === null ? 'forwarded' : 'refused'] += 1;
      report(context, event, outcome);
    }
  } catch (error) {
    // Ctrl-C is the normal end, not a failure.
    if (!stop.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
  context.remark(`\n${count.forwarded} events accepted, ${count.refused} refused.`);
}

function report({ print, columns }: Context, event: KinoraEvent, outcome: Forwarded): void {
  const { status, milliseconds, problem } = outcome;
  print(renderForwarded(event, outcome, columns), {
    event: event.id,
    type: event.type,
    task: event.data.id,
    status,
    milliseconds,
    problem,
  });
}

/** Renders one event. A narrow terminal gets more lines, and still the whole id, because it is one word. */
export function renderForwarded(
  { type, data }: KinoraEvent,
  { status, milliseconds, problem }: Forwarded,
  columns: number,
  now: number = Date.now(),
): string {
  const result = [status === null ? 'failed' : String(status), `${milliseconds} ms`, ...(problem ? [problem] : [])];
  const text = [timeOfDay(now / 1000), type.padEnd(15), data.id, ...result].join('  ');
  const [first = '', ...more] = wrapTo(text, columns - 2);
  return [first, ...more.map((line) => `  ${line}`)].join('\n');
}
