import { Dialog } from '../design/dialog.tsx';

const shortcuts: readonly [keys: string, meaning: string][] = [
  ['c', 'Create a video'],
  ['/', 'Search the gallery'],
  ['⌘K', 'Go to a page, task or model'],
  ['j k', 'Next and previous'],
  ['enter', 'Open'],
  ['x', 'Select in the queue'],
  ['space', 'Play or pause'],
  ['?', 'Show this list'],
];

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[6rem_1fr] gap-y-2">
        {shortcuts.map(([keys, meaning]) => (
          <div key={keys} className="contents">
            <dt className="flex gap-1">
              {keys.split(' ').map((key) => (
                <kbd key={key} className="rounded-small border border-line-strong px-1.5 text-small">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
