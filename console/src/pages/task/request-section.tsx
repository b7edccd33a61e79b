import type { Task } from '@kinora/sdk';
import { CodeBlock } from '../../design/code-block.tsx';
import { Facts } from '../../design/facts.tsx';
import { Section } from '../../design/page.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { writeJson } from '../../request-code/quote.ts';
import { callOf } from '../../request-code/video-request.ts';
import { sentRequest } from '../../tasks/sent-requests.ts';

/** The request as sent, if it was sent from this tab, and as the service resolved it. */
export function RequestSection({ task }: { task: Task }) {
  const sent = sentRequest(task.id);
  const metadata = Object.entries(task.metadata);
  return (
    <Section title="Request">
      <Tabs
        label="Request"
        tabs={[
          {
            name: 'As resolved',
            content: (
              <>
                <Facts
                  facts={[
                    [
                      'Prompt',
                      <span className="whitespace-pre-wrap" key="prompt">
                        {task.prompt}
                      </span>,
                    ],
                    task.negative_prompt === null ? null : ['Negative prompt', task.negative_prompt],
                    ['Model', task.model],
                    ['Size', `${task.size.replace('x', '×')} (${task.resolution}, ${task.aspect_ratio})`],
                    ['Duration', `${task.duration} s`],
                    [
                      'Seed',
                      <span key="seed" className="font-mono text-small">
                        {task.seed}
                      </span>,
                    ],
                    ...metadata.map(([name, value]) => [`metadata.${name}`, value] as const),
                  ]}
                />
                {task.warnings.length > 0 && (
                  <ul className="mt-3 flex flex-col gap-1 border-l-2 border-line-strong pl-3">
                    {task.warnings.map(({ code, message }) => (
                      <li key={code + message}>
                        {message} <code className="text-small text-quiet">{code}</code>
                      </li>
                    ))}
                  </ul>
                )}
              </>
            ),
          },
          {
            name: 'As sent',
            content: sent ? (
              <CodeBlock
                label="The request as sent"
                code={`POST ${callOf(sent).path}\n${writeJson(callOf(sent).body)}`}
              />
            ) : (
              <p className="text-quiet">
                This task was not created in this browser tab. Kinora stores requests with all defaults filled in, not
                the bytes that were sent.
              </p>
            ),
          },
        ]}
      />
    </Section>
  );
}
