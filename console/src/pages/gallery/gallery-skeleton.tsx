import { Skeleton } from '../../design/states.tsx';

const rows = [
  [16 / 9, 1, 9 / 16, 4 / 3],
  [3 / 4, 16 / 9, 16 / 9],
  [21 / 9, 1, 4 / 3],
  [16 / 9, 9 / 16, 1, 16 / 9],
];

/** The shape of the gallery while it is loading. */
export function GallerySkeleton() {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-8">
      {rows.map((ratios, row) => (
        <div key={row} className="flex h-36 gap-2 md:h-48">
          {ratios.map((ratio, index) => (
            <div key={index} style={{ flexGrow: ratio }} className="flex">
              <Skeleton className="grow rounded-small" />
            </div>
          ))}
        </div>
      ))}
    </div>
  );
}
