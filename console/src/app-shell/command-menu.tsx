import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { classes } from '../design/classes.ts';
import { Moment } from '../design/moment.tsx';
import { RatioBox } from '../design/ratio-box.tsx';
import { TaskStatus } from '../design/status.tsx';
import { type Command, useCommands } from './use-commands.ts';

const groups = ['Pages', 'Actions', 'Models', 'Tasks'] as const;

/** Search: pages, actions, models, and tasks by id or prompt. */
export function CommandMenu({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const [wanted, setWanted] = useState<string | null>(null);
  const { commands, isSearching } = useCommands(typed);
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const current = commands.find((command) => command.id === wanted) ?? commands[0];
  useEffect(() => {
    if (current) document.getElementById(`${id}-${current.id}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, current]);

  const run = (command: Command): void => {
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    const at = current ? commands.indexOf(current) : -1;
    const targets: Record<string, number> = {
      ArrowDown: (at + 1) % commands.length,
      ArrowUp: (at - 1 + commands.length) % commands.length,
      PageDown: Math.min(commands.length - 1, at + 8),
      PageUp: Math.max(0, at - 8),
    };
    const target = targets[event.key];
    if (target !== undefined) setWanted(commands[target]?.id ?? null);
    else if (event.key === 'Enter' && current) run(current);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-black/60" />
        <Dialog.Popup
          initialFocus={input}
          className="fixed top-[12dvh] left-1/2 z-30 flex max-h-[70dvh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col rounded-box border border-line-strong bg-raised max-md:top-4"
        >
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <div className="flex items-center gap-2.5 border-b px-3">
            <Search className="size-4 shrink-0 text-quiet" aria-hidden="true" />
            <input
              ref={input}
              role="combobox"
              aria-expanded
              aria-controls={`${id}-list`}
              aria-activedescendant={current && `${id}-${current.id}`}
              aria-autocomplete="list"
              aria-label="Search pages, tasks, models and actions"
              placeholder="Find a page, task id, prompt, model or action"
              autoComplete="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setWanted(null);
              }}
              onKeyDown={onKeyDown}
              className="h-12 w-full bg-transparent text-read outline-none placeholder:text-quiet"
            />
          </div>
          <div id={`${id}-list`} role="listbox" aria-label="Results" className="overflow-y-auto p-1.5">
            {groups.map((name) => {
              const own = commands.filter(({ group }) => group === name);
              return (
                own.length > 0 && (
                  <div key={name} role="group" aria-labelledby={`${id}-${name}`} className="mb-1">
                    <div id={`${id}-${name}`} className="px-2 pt-1.5 pb-1 text-small text-quiet">
                      {name}
                    </div>
                    {own.map((command) => (
                      <CommandOption
                        key={command.id}
                        id={`${id}-${command.id}`}
                        command={command}
                        isCurrent={command === current}
                        onPoint={() => setWanted(command.id)}
                        onRun={() => run(command)}
                      />
                    ))}
                  </div>
                )
              );
            })}
          </div>
          <p role="status" className={classes('px-3.5 text-quiet', commands.length === 0 && 'pb-4')}>
            {commands.length === 0 && (isSearching ? 'Searching' : `No results for “${typed.trim()}”.`)}
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function CommandOption({
  id,
  command: { label, note, icon: Icon, task },
  isCurrent,
  onPoint,
  onRun,
}: {
  id: string;
  command: Command;
  isCurrent: boolean;
  onPoint: () => void;
  onRun: () => void;
}) {
  return (
    // The input keeps the focus and has the keys; this is for the pointer.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      onPointerMove={onPoint}
      onClick={onRun}
      className={classes(
        'flex h-9 cursor-default items-center gap-2.5 rounded-small px-2',
        isCurrent && 'bg-raised-more',
      )}
    >
      {task ? (
        <RatioBox task={task} side={28} />
      ) : (
        <Icon className={classes('size-4 shrink-0', isCurrent ? 'text-accent' : 'text-quiet')} />
      )}
      <span className="truncate">{label}</span>
      {task && (
        <span className="ml-auto flex shrink-0 gap-3 pl-3 text-small text-quiet">
          <TaskStatus status={task.status} />
          <Moment at={task.created_at} />
        </span>
      )}
      {note && <span className="ml-auto shrink-0 pl-3 text-small text-quiet">{note}</span>}
    </div>
  );
}
