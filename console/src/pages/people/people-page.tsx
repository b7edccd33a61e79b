import { Page } from '../../design/page.tsx';

export function PeoplePage() {
  return <Page title="People">…</Page>;
}
