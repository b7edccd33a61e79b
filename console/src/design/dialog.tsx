import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';

/** A window above the page. `footer` has the actions, the main one last. */
export function Dialog({
  isOpen,
  onClose,
  title,
  lead,
  children,
  footer,
  isWide = false,
  staysOpen = false,
}: {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  lead?: ReactNode;
  children?: ReactNode;
  footer?: ReactNode;
  isWide?: boolean;
  /** Only its buttons close it: for what is shown once and must not be lost to a stray click. */
  staysOpen?: boolean;
}) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && !staysOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-black/60" />
        <Base.Popup
          className={classes(
            'fixed top-1/2 left-1/2 z-30 flex max-h-[90dvh] w-[calc(100vw-2rem)] -translate-x-1/2 -translate-y-1/2 flex-col',
            'rounded-box border border-line-strong bg-raised',
            isWide ? 'max-w-3xl' : 'max-w-md',
          )}
        >
          <div className="flex items-start gap-3 p-4 pb-2">
            <div className="grow">
              <Base.Title className="text-title font-semibold">{title}</Base.Title>
              {lead && <Base.Description className="mt-1 text-quiet">{lead}</Base.Description>}
            </div>
            <IconButton label="Close" onClick={onClose}>
              <X />
            </IconButton>
          </div>
          <div className="overflow-y-auto px-4 pb-4">{children}</div>
          {footer && <div className="flex justify-end gap-2 border-t p-3">{footer}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
