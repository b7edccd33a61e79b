import { type ReactNode, useId } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** A window with a form: fields, a way out, and the action that sends it. */
export function FormDialog({
  title,
  lead,
  action,
  dismissal = 'Cancel',
  isBusy,
  isCheckedHere = false,
  onSubmit,
  onClose,
  children,
}: {
  title: string;
  lead: ReactNode;
  /** What the button that sends the form says. */
  action: string;
  dismissal?: string;
  isBusy: boolean;
  /** Whether the form explains missing fields itself, instead of the browser. */
  isCheckedHere?: boolean;
  onSubmit: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const formId = useId();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      lead={lead}
      footer={
        <>
          <Button onClick={onClose}>{dismissal}</Button>
          <Button look="primary" type="submit" form={formId} isBusy={isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate={isCheckedHere}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        {children}
      </form>
    </Dialog>
  );
}
