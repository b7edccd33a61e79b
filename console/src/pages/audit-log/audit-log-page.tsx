import { Page } from '../../design/page.tsx';

export function AuditLogPage() {
  return <Page title="AuditLog">…</Page>;
}
