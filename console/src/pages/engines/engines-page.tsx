import { Page } from '../../design/page.tsx';

export function EnginesPage() {
  return <Page title="Engines">…</Page>;
}
