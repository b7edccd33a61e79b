import { Page } from '../../design/page.tsx';

export function CreatePage() {
  return <Page title="Create">…</Page>;
}
