import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { consoleApi } from '../../api/console-api.ts';
import { type Session, type SignedIn, sessionQuery } from '../../api/session.ts';
import { hasSignedOut } from '../../api/sign-out.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';
import { PasswordField } from '../../design/password-field.tsx';
import { Notice, Problem, SkeletonRows } from '../../design/states.tsx';
import { useFinishSignIn } from './finish-sign-in.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import { explainIdentityProblem, explainSignInError } from './sign-in-problems.ts';

export function SignInPage() {
  const { next = '/', problem } = useSearch({ from: '/sign-in' });
  const { data: session, error, refetch } = useQuery(sessionQuery);
  if (session?.signed_in) return problem === undefined ? <GoOn next={next} /> : <NotConfirmed {...{ problem, next }} />;
  if (session?.sign_in.needs_first_operator && !session.sign_in.development) return <NoOperatorYet />;
  if (session) return <SignInForm ways={session.sign_in} next={next} />;
  return (
    <SignInLayout title="Sign in" isBusy={!error}>
      {error ? <Problem isInline error={error} onRetry={() => void refetch()} /> : <SkeletonRows count={3} />}
    </SignInLayout>
  );
}

/** Somebody who is signed in already has nothing to do here. */
function GoOn({ next }: { next: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    void navigate({ href: next, replace: true });
  }, [navigate, next]);
  return null;
}

/** The identity provider could not confirm who the person is, but their session goes on. */
function NotConfirmed({ problem, next }: { problem: string; next: string }) {
  return (
    <SignInLayout title="Sign-in not confirmed" lead="You are still signed in. Nothing was changed.">
      <Notice tone="failed">{explainIdentityProblem(problem)}</Notice>
      <LinkButton look="primary" href={next}>
        Go back
      </LinkButton>
    </SignInLayout>
  );
}

function NoOperatorYet() {
  return (
    <SignInLayout title="No operator yet" lead="Nobody can sign in until this installation has an operator.">
      <p>
        When the console started, it printed a link that creates the first operator. The link works once and expires. To
        print a new one, run:
      </p>
      <pre className="overflow-x-auto rounded-box border bg-raised px-3 py-2">kinora-server people first-operator</pre>
    </SignInLayout>
  );
}

function SignInForm({ ways, next }: { ways: Session['sign_in']; next: string }) {
  const { problem: code } = useSearch({ from: '/sign-in' });
  const finish = useFinishSignIn();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: (way: 'password' | 'development') =>
      way === 'password'
        ? consoleApi<SignedIn>('POST', '/sign-in', { email, password })
        : consoleApi<SignedIn>('POST', '/sign-in/development'),
    onSuccess: (session) => finish(session, next),
    onError: () => setPassword(''),
  });
  // `npm run dev` needs no sign-in, except after somebody chose to sign out.
  const isAutomatic = ways.development && code === undefined && !hasSignedOut();
  const hasTried = useRef(false);
  const signInDeveloper = useEffectEvent(() => {
    if (hasTried.current) return;
    hasTried.current = true;
    signIn.mutate('development');
  });
  useEffect(() => {
    if (isAutomatic) signInDeveloper();
  }, [isAutomatic]);
  if (isAutomatic && !signIn.error)
    return <SignInLayout title="Signing you in" lead="You sign in as the developer." isBusy />;
  return (
    <SignInLayout title="Sign in" isBusy={signIn.isPending}>
      {signIn.error ? (
        <Notice tone="failed">{explainSignInError(signIn.error)}</Notice>
      ) : (
        code !== undefined && <Notice tone="failed">{explainIdentityProblem(code)}</Notice>
      )}
      {ways.openid && (
        <>
          <LinkButton look="primary" href={`/console-api/openid/start?return_to=${encodeURIComponent(next)}`}>
            Sign in with {ways.openid.name}
          </LinkButton>
          <Or />
        </>
      )}
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate('password');
        }}
      >
        <TextField
          label="E-mail address"
          type="email"
          autoComplete="username"
          autoFocus
          required
          value={email}
          onChange={setEmail}
        />
        <PasswordField
          label="Password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
          hint="Forgotten? Ask an operator for a password link."
        />
        <Button type="submit" look={ways.openid ? 'plain' : 'primary'} isBusy={signIn.isPending}>
          Sign in
        </Button>
      </form>
      {ways.development && (
        <>
          <Or />
          <Button onClick={() => signIn.mutate('development')} isBusy={signIn.isPending}>
            Sign in as the developer
          </Button>
          <p className="text-small text-quiet">Only development servers on your machine offer this.</p>
        </>
      )}
    </SignInLayout>
  );
}

function Or() {
  return (
    <div className="flex items-center gap-3 text-small text-quiet">
      <span className="h-px grow bg-line" />
      or
      <span className="h-px grow bg-line" />
    </div>
  );
}
