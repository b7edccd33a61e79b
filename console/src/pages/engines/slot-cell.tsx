import { memo } from 'react';
import { classes } from '../../design/classes.ts';
import type { SlotLook } from './describe-slot.ts';

export const slotColours: Record<SlotLook, string> = {
  busy: 'border-accent/50 bg-accent-soft text-accent',
  idle: 'text-quiet',
  draining: 'hatched border-line-strong text-ink',
  broken: 'border-failed bg-failed-soft text-failed',
  suspect: 'border-dashed border-failed text-failed',
  unwatched: 'border-dashed border-line-strong text-quiet',
};

interface SlotCellProps {
  look: SlotLook;
  word: string;
  age: string;
  progress: number | null;
  isDense: boolean;
}

/** One slot. Only what changed since the last look at the engines is drawn again. */
export const SlotCell = memo(function SlotCell({ look, word, age, progress, isDense }: SlotCellProps) {
  const percent = progress !== null && <span className="font-mono">{Math.round(progress)}%</span>;
  return (
    <li
      className={classes(
        'relative flex flex-col justify-center overflow-hidden rounded-small border text-small',
        isDense ? 'h-9 w-20 px-1 leading-[14px]' : 'h-11 w-28 px-2',
        slotColours[look],
      )}
    >
      <span className="flex justify-between gap-1 font-medium">
        <span className="truncate">{word}</span>
        {!isDense && percent}
      </span>
      <span className="flex justify-between gap-1 font-mono">
        <span className="truncate">{age}</span>
        {isDense && percent}
      </span>
      {progress !== null && (
        <span
          aria-hidden="true"
          className="absolute bottom-0 left-0 h-0.5 bg-accent transition-[width] duration-700 ease-linear"
          style={{ width: `${progress}%` }}
        />
      )}
    </li>
  );
});
