import type { ReactNode } from 'react';
import { classes } from '../design/classes.ts';

/** A box with a fixed aspect ratio, as large as the width and the height of the window allow. */
export function AspectRatioBox({
  ratio,
  heightShare = 68,
  children,
  className,
}: {
  ratio: number;
  /** The largest share of the window's height, in percent. */
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
