import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { CodeBlock } from './code-block.tsx';
import { Dialog } from './dialog.tsx';

/** A secret that nobody can see again after this. A stray click does not close it. */
export function ShownOnce({
  title,
  lead,
  secret,
  secretName,
  children,
  onClose,
}: {
  title: string;
  lead: string;
  secret: string;
  /** Such as "API key"; it names the code for those who cannot see it. */
  secretName: string;
  children?: ReactNode;
  onClose: () => void;
}) {
  return (
    <Dialog
      isOpen
      staysOpen
      isWide
      onClose={onClose}
      title={title}
      lead={lead}
      footer={
        <Button look="primary" onClick={onClose}>
          I have stored it
        </Button>
      }
    >
      <div className="flex flex-col gap-4 [&>*]:min-w-0">
        <CodeBlock code={secret} label={secretName} />
        {children}
      </div>
    </Dialog>
  );
}
