import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Section } from '../../design/page.tsx';
import { StatusDot } from '../../design/status.tsx';
import type { EndpointProblem } from './find-problems.ts';

/** More than this pushes the board out of sight. */
const shownAtFirst = 6;

/** The endpoints that are broken or may be lying, and why. */
export function ProblemList({
  problems,
  onOpen,
}: {
  problems: readonly EndpointProblem[];
  onOpen: (id: string) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  if (problems.length === 0) return null;
  const shown = isOpen ? problems : problems.slice(0, shownAtFirst);
  return (
    <Section title="Needs attention">
      <ul>
        {shown.map(({ endpoint, pool, kind, word, text }) => (
          <li key={endpoint.id} className="border-b last:border-0">
            <button
              type="button"
              onClick={() => onOpen(endpoint.id)}
              className="grid w-full gap-x-4 rounded-small py-1.5 text-left hover:bg-raised md:grid-cols-[7rem_14rem_1fr]"
            >
              <StatusDot tone={kind === 'broken' ? 'failed' : 'quiet'}>{word}</StatusDot>
              <span className="truncate">
                <span className="font-mono text-small">{endpoint.id}</span>
                <span className="text-quiet"> in {pool}</span>
              </span>
              <span className="min-w-0 text-quiet md:truncate" title={text}>
                {text}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {problems.length > shownAtFirst && (
        <Button look="quiet" className="mt-1" onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'Show fewer' : `Show ${problems.length - shownAtFirst} more`}
        </Button>
      )}
    </Section>
  );
}
