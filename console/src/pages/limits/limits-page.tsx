import { Page } from '../../design/page.tsx';

export function LimitsPage() {
  return <Page title="Limits">…</Page>;
}
