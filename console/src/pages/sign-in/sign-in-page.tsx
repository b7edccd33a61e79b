import { Page } from '../../design/page.tsx';

export function SignInPage() {
  return <Page title="SignIn">…</Page>;
}
