import { Section } from '../../design/page.tsx';
import { Skeleton, SkeletonRows } from '../../design/states.tsx';

/** The shape of the queue while it is loading. */
export function QueueSkeleton() {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <div>
        <Section title="Running">
          <div className="grid gap-3 2xl:grid-cols-2">
            <Skeleton className="h-32" />
            <Skeleton className="h-32" />
          </div>
        </Section>
        <Section title="Waiting">
          <SkeletonRows count={8} />
        </Section>
      </div>
      <Section title="Recent">
        <SkeletonRows count={6} />
      </Section>
    </div>
  );
}
