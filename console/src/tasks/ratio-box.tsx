import type { ReactNode } from 'react';
import { classes } from '../design/classes.ts';

/** A box of a true aspect ratio, as large as the width and the height of the window allow. */
export function RatioBox({
  ratio,
  heightShare = 68,
  children,
  className,
}: {
  ratio: number;
  /** How much of the window's height it may take, in percent. */
  heightShare?: number;
  children?: ReactNode;
  className?: string;
}) {
  return (
    <div
      className={classes('relative overflow-hidden rounded-box', className)}
      style={{ aspectRatio: ratio, width: `min(100%, ${heightShare * ratio}dvh)` }}
    >
      {children}
    </div>
  );
}
