import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Problem } from './states.tsx';

/** Says what an action will do, before it is done. It stays open with the error if the action fails. */
export function ConfirmDialog({
  title,
  children,
  action,
  dismissal = 'Keep it',
  isDanger = false,
  onConfirm,
  onClose,
}: {
  title: string;
  /** What will happen, and what cannot be undone. */
  children: ReactNode;
  /** The word on the button, such as "Delete". */
  action: string;
  /** The word on the button that changes nothing. */
  dismissal?: string;
  isDanger?: boolean;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const confirm = async (): Promise<void> => {
    setIsBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (cause) {
      setError(cause);
      setIsBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{dismissal}</Button>
          <Button look={isDanger ? 'danger' : 'primary'} isBusy={isBusy} onClick={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <div>{children}</div>
        {error !== null && <Problem error={error} isInline />}
      </div>
    </Dialog>
  );
}
