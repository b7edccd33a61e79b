import { Page } from '../../design/page.tsx';

export function GalleryPage() {
  return <Page title="Gallery">…</Page>;
}
