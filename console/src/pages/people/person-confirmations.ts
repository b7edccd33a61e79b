import type { Person, PersonChange } from '../../api/people.ts';

/** A change to a person that needs a confirmation, and the texts of its dialog. */
export interface PersonConfirmation {
  person: Person;
  change: PersonChange;
  title: string;
  meaning: string;
  action: string;
  isDanger: boolean;
  done: string;
}

export function confirmDisabling(person: Person): PersonConfirmation {
  return {
    person,
    change: { is_disabled: true },
    title: `Disable ${person.name}?`,
    meaning:
      'They are signed out everywhere at once and can no longer sign in. Their tasks and API keys stay. You can enable ' +
      'them again.',
    action: 'Disable',
    isDanger: true,
    done: `${person.name} is disabled.`,
  };
}

export function confirmOperator(person: Person): PersonConfirmation {
  const { is_operator: wasOperator, name } = person;
  return {
    person,
    change: { is_operator: !wasOperator },
    title: wasOperator ? `Remove the operator role from ${name}?` : `Make ${name} an operator?`,
    meaning: wasOperator
      ? 'They keep their project roles, and lose access to engines, projects, people and health at once.'
      : 'They can see and change everything in this installation, and are admin of every project.',
    action: wasOperator ? 'Remove role' : 'Make operator',
    isDanger: wasOperator,
    done: wasOperator ? `${name} is no longer an operator.` : `${name} is now an operator.`,
  };
}
