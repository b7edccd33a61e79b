import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ArrowUp } from 'lucide-react';
import { useCallers } from '../../api/callers.ts';
import { useProject } from '../../api/project.tsx';
import { modelsQuery } from '../../api/project-queries.ts';
import { Button, buttonClasses } from '../../design/button.tsx';
import { formatCount } from '../../design/format.ts';
import { Page } from '../../design/page.tsx';
import { Empty, Problem } from '../../design/states.tsx';
import { GalleryFilters } from './gallery-filters.tsx';
import { GalleryGrid } from './gallery-grid.tsx';
import type { GallerySearch } from './gallery-search.ts';
import { GallerySkeleton } from './gallery-skeleton.tsx';
import { useGallery } from './use-gallery.ts';

/** At the top new videos appear by themselves; further down they would move what the person looks at. */
const topPixels = 80;

/** The page on which people find a video. */
export function GalleryPage() {
  const { kinora, key, id: project, mode, may } = useProject();
  const search = useSearch({ from: '/app-shell/p/$project/$mode/gallery' });
  const navigate = useNavigate();
  const setSearch = (next: GallerySearch): void =>
    void navigate({ to: '/p/$project/$mode/gallery', params: { project, mode }, search: next, replace: true });
  const gallery = useGallery(search, () => scrollY < topPixels);
  const { data: models } = useQuery(modelsQuery({ kinora, key }));
  const callers = [...useCallers().values()].filter(({ livemode }) => livemode === (mode === 'live'));
  const isFiltered = Object.keys(search).length > 0;

  const content = () => {
    const { tasks } = gallery;
    if (!tasks)
      return gallery.error ? (
        <Problem error={gallery.error} onRetry={() => void gallery.refetch()} />
      ) : (
        <GallerySkeleton />
      );
    if (tasks.length > 0 || gallery.hasNextPage) {
      return (
        <>
          <GalleryGrid
            tasks={tasks}
            hasMore={gallery.hasNextPage && !gallery.isFetchNextPageError}
            onLoadMore={() => void gallery.fetchNextPage({ cancelRefetch: false })}
            onRenew={gallery.renew}
          />
          {gallery.isFetchNextPageError && (
            <Problem isInline error={gallery.error} onRetry={() => void gallery.fetchNextPage()} />
          )}
          <p role="status" className="py-4 text-center text-small text-quiet">
            {gallery.hasNextPage ? 'Loading more' : `All ${formatCount(tasks.length)} shown.`}
          </p>
        </>
      );
    }
    if (isFiltered) {
      return (
        <Empty title="No matching videos" action={<Button onClick={() => setSearch({})}>Clear the filters</Button>}>
          The prompt must contain all words, in any order.
        </Empty>
      );
    }
    return (
      <Empty
        title="No videos yet"
        action={
          may('developer') && (
            <Link to="/p/$project/$mode/create" params={{ project, mode }} className={buttonClasses('primary')}>
              Create a video
            </Link>
          )
        }
      >
        All videos of this project appear here, newest first. Hover over a video to preview it.
      </Empty>
    );
  };

  return (
    <Page title="Gallery">
      <GalleryFilters search={search} onChange={setSearch} models={models ?? []} callers={callers} />
      {gallery.arrivals.tasks.size > 0 && (
        <div className="pointer-events-none sticky top-16 z-10 -mb-8 flex h-8 justify-center">
          <Button
            look="primary"
            className="pointer-events-auto"
            onClick={() => {
              scrollTo({ top: 0 });
              gallery.showArrivals();
            }}
          >
            <ArrowUp />
            {gallery.arrivals.tasks.size}
            {gallery.arrivals.isAll ? ' new' : ' or more new'}
          </Button>
        </div>
      )}
      {content()}
    </Page>
  );
}
