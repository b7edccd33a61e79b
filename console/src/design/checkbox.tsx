import { Check, Minus } from 'lucide-react';
import type { ReactNode } from 'react';

/** A box to tick. The label is read aloud; `isMixed` means that some of what it stands for are ticked. */
export function Checkbox({
  label,
  isChecked,
  isMixed = false,
  onChange,
  children,
}: {
  label: string;
  isChecked: boolean;
  isMixed?: boolean;
  onChange: (isChecked: boolean) => void;
  /** Stands beside the box; a click on it ticks the box too. */
  children?: ReactNode;
}) {
  const box = (
    <>
      <input
        type="checkbox"
        aria-label={label}
        checked={isChecked}
        ref={(input) => {
          if (input) input.indeterminate = isMixed;
        }}
        onChange={(event) => onChange(event.target.checked)}
        className="peer size-4 cursor-pointer appearance-none rounded-small border border-line-strong bg-ground checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent"
      />
      <span className="pointer-events-none absolute text-accent-ink" aria-hidden="true">
        {isMixed ? <Minus size={12} strokeWidth={3} /> : isChecked && <Check size={12} strokeWidth={3} />}
      </span>
    </>
  );
  if (children === undefined) {
    // The label makes the area to hit larger than the box.
    return (
      <label className="relative inline-flex size-6 shrink-0 cursor-pointer items-center justify-center">{box}</label>
    );
  }
  return (
    <label className="flex cursor-pointer items-start gap-2">
      <span className="relative flex h-5 shrink-0 items-center justify-center">{box}</span>
      <span className="min-w-0">{children}</span>
    </label>
  );
}
