import type { Task } from '@kinora/sdk';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

/** Returns width divided by height of a task's video. */
export function ratioOf({ size }: Pick<Task, 'size'>): number {
  const [width = 16, height = 9] = size.split('x').map(Number);
  return width / height;
}

/** A frame in the true ratio of a task's video, as large as fits into a square: its thumbnail, or its outline. */
export function RatioBox({
  task,
  side,
  children,
}: {
  task: Pick<Task, 'size' | 'video'>;
  side: number;
  children?: ReactNode;
}) {
  const ratio = ratioOf(task);
  const width = Math.round(ratio > 1 ? side : side * ratio);
  const height = Math.round(ratio > 1 ? side / ratio : side);
  const url = task.video?.thumbnail_url;
  return (
    <div className="flex shrink-0 items-center justify-center" style={{ width: side }}>
      <div
        className={classes(
          'flex items-center justify-center overflow-hidden rounded-small',
          !url && 'border border-line-strong',
        )}
        style={{ width, height }}
      >
        {url ? (
          <img src={url} alt="" width={width} height={height} loading="lazy" decoding="async" className="size-full" />
        ) : (
          children
        )}
      </div>
    </div>
  );
}
