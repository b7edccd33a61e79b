import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { classes } from './classes.ts';

/** An id, a seed or another short value in mono; a click copies it. */
export function Copyable({ text, label, shown = text }: { text: string; label: string; shown?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 1_500);
  };
  return (
    <button
      type="button"
      onClick={(event) => {
        event.preventDefault();
        event.stopPropagation();
        void copy();
      }}
      title={text}
      aria-label={isCopied ? `${label} copied` : `Copy ${label} ${text}`}
      className={classes(
        'group inline-flex max-w-full items-center gap-1 rounded-small font-mono text-small hover:text-accent',
        isCopied && 'text-done',
      )}
    >
      <span className="truncate">{shown}</span>
      {isCopied ? (
        <Check size={12} className="shrink-0" />
      ) : (
        <Copy size={12} className="shrink-0 text-quiet opacity-60 group-hover:opacity-100" />
      )}
    </button>
  );
}
