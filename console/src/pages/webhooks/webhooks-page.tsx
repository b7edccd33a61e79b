import { Page } from '../../design/page.tsx';

export function WebhooksPage() {
  return <Page title="Webhooks">…</Page>;
}
