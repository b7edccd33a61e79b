import type { ListedPerson } from '../db/access/people-table.ts';
import type { Member } from '../db/access/project-member-table.ts';
import type { ProjectCaller, ProjectOverview } from '../db/access/project-overview-table.ts';
import type { Project, ProjectSettings } from '../db/access/project-table.ts';
import type { ConsoleUser, Operator, Origin } from '../domain/actor.ts';
import type { ConsoleSession, SignedIn } from '../domain/console-session.ts';
import type { Person, ProjectRole } from '../domain/person.ts';
import type { PersonChange } from '../operations/people/change-person.ts';
import type { IdentityProblem, ProvenIdentity } from '../operations/people/sign-in-with-openid.ts';
import type { OpenidProvider } from './openid/openid-provider.ts';
import type { SignInSeal } from './openid/sealed-sign-in.ts';

/** What the console needs for people, the members of projects, and the projects themselves. */
export interface PeopleParts {
  /** Signing in with the identity provider; null if there is none. */
  openid: {
    provider: OpenidProvider;
    seal: SignInSeal;
    signIn(
      claims: ProvenIdentity,
      origin: Origin,
    ): Promise<{ session: ConsoleSession; secret: string } | { problem: IdentityProblem }>;
    /** Makes the session fresh; false if the claims are those of another person. */
    confirm(signedIn: SignedIn, claims: ProvenIdentity, origin: Origin): Promise<boolean>;
  } | null;
  people: {
    list(): Promise<ListedPerson[]>;
    create(
      operator: Operator,
      wanted: { email: string; name?: string | undefined; isOperator: boolean },
    ): Promise<{ person: Person; setupUrl: string }>;
    change(operator: Operator, personId: string, change: PersonChange): Promise<ListedPerson>;
    /** Returns a link with which the person sets a new password. */
    resetPassword(operator: Operator, personId: string): Promise<string>;
  };
  members: {
    list(projectId: string): Promise<Member[]>;
    add(
      admin: { person: Person; origin: Origin },
      projectId: string,
      wanted: { email: string; name?: string | undefined; role: ProjectRole },
    ): Promise<{ member: Member; setupUrl: string | null }>;
    setRole(actor: ConsoleUser, wanted: { projectId: string; personId: string; role: ProjectRole }): Promise<Member>;
    remove(actor: ConsoleUser, which: { projectId: string; personId: string }): Promise<void>;
    listCallers(projectId: string): Promise<ProjectCaller[]>;
  };
  projects: {
    list(only?: string): Promise<ProjectOverview[]>;
    create(operator: Operator, name: string): Promise<Project>;
    change(operator: Operator, projectId: string, settings: ProjectSettings): Promise<Project | null>;
  };
}
