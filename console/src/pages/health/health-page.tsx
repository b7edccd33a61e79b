import { Page } from '../../design/page.tsx';

export function HealthPage() {
  return <Page title="Health">…</Page>;
}
