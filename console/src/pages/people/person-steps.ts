import type { Person, PersonChange } from '../../api/people.ts';

/** A change that gives or takes much, and what it means. */
export interface PersonStep {
  person: Person;
  change: PersonChange;
  title: string;
  meaning: string;
  action: string;
  isDanger: boolean;
  done: string;
}

export function disableStep(person: Person): PersonStep {
  return {
    person,
    change: { is_disabled: true },
    title: `Disable ${person.name}?`,
    meaning:
      'They are signed out everywhere at once and cannot sign in any more. Their tasks and the keys that they made ' +
      'stay. You can enable them again.',
    action: 'Disable',
    isDanger: true,
    done: `${person.name} is disabled.`,
  };
}

export function operatorStep(person: Person): PersonStep {
  const { is_operator: wasOperator, name } = person;
  return {
    person,
    change: { is_operator: !wasOperator },
    title: wasOperator ? `Take the operator's role from ${name}?` : `Make ${name} an operator?`,
    meaning: wasOperator
      ? 'They keep their roles in projects, and lose the engines, projects, people and health at once.'
      : 'They see and change everything in this installation, and are admin of every project.',
    action: wasOperator ? 'Take the role' : 'Make operator',
    isDanger: wasOperator,
    done: wasOperator ? `${name} is no operator any more.` : `${name} is an operator now.`,
  };
}
