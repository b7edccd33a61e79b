import type { Task } from '@kinora/sdk';
import { classes } from './classes.ts';
import { TaskProgress } from './progress.tsx';

const stages = [
  { name: 'waiting', label: 'Waiting' },
  { name: 'preparing', label: 'Preparing' },
  { name: 'rendering', label: 'Rendering' },
  { name: 'finishing', label: 'Finishing' },
] as const;

/** The four stages of a task in one line: what is over, what goes on and how far it is, and what comes. */
export function StageBar({ task }: { task: Pick<Task, 'stage' | 'status' | 'progress' | 'progress_source'> }) {
  const current = stages.findIndex(({ name }) => name === task.stage);
  const word = (index: number): string => {
    const { name, label } = stages[index] ?? stages[0];
    return name === 'rendering' && index === current ? `${label} ${task.progress} %` : label;
  };
  return (
    <>
      <ol aria-label="Stages" className="grid grid-cols-[1fr_1fr_4fr_1fr] gap-1">
        {stages.map(({ name }, index) => (
          <li key={name} aria-current={index === current ? 'step' : undefined} className="min-w-0">
            {name === 'rendering' && index === current ? (
              <TaskProgress task={task} />
            ) : (
              <div className="h-1.5 overflow-hidden rounded-round bg-raised-more">
                {index < current && <div className="h-full bg-accent/55" />}
                {index === current && <div className="striped h-full" />}
              </div>
            )}
            <div
              className={classes(
                'mt-1 truncate text-small max-sm:sr-only',
                index === current ? 'text-accent' : 'text-quiet',
              )}
            >
              {word(index)}
            </div>
          </li>
        ))}
      </ol>
      {/* A phone has room for one word. */}
      <p aria-hidden="true" className="mt-1 text-small text-accent sm:hidden">
        {word(current)}
      </p>
    </>
  );
}
