import type { ReactNode } from 'react';
import { classes } from '../design/classes.ts';

/** A screen of a true aspect ratio, as large as the width and the height of the window allow. */
export function Screen({
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
      className={classes('relative mx-auto overflow-hidden rounded-box', className)}
      style={{ aspectRatio: ratio, width: `min(100%, ${heightShare * ratio}dvh)` }}
    >
      {children}
    </div>
  );
}
