import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './button.tsx';

/** Code with a button that copies it. */
export function CodeBlock({ code, label }: { code: string; label: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(code);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 1_500);
  };
  return (
    <div className="relative rounded-box border bg-raised">
      <pre
        // A long line can be scrolled with the keyboard too.
        tabIndex={0}
        role="region"
        aria-label={label}
        className="max-h-96 overflow-auto p-3 pr-12 text-small"
      >
        <code>{code}</code>
      </pre>
      <IconButton
        label={isCopied ? 'Copied' : 'Copy the code'}
        onClick={() => void copy()}
        className="absolute top-1.5 right-1.5 bg-raised"
      >
        {isCopied ? <Check className="text-done" /> : <Copy />}
      </IconButton>
    </div>
  );
}
