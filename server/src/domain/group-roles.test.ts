import { describe, expect, it } from 'vitest';
import { parseGroupRole, rolesFromGroups } from './group-roles.ts';
import { newProjectId } from './id.ts';

const one = newProjectId(new Date(0));
const other = newProjectId(new Date(1));

describe('groups of an identity provider', () => {
  it('map to operators and to roles in projects', () => {
    expect(parseGroupRole('video-admins=operator')).toEqual({ group: 'video-admins', isOperator: true });
    expect(parseGroupRole(`cn=team a=${one}:viewer`)).toEqual({ group: 'cn=team a', projectId: one, role: 'viewer' });
  });

  it.each([
    '',
    'group',
    'group=',
    '=operator',
    'group=admin',
    'group=owner',
    `group=${one}:operator`,
    'group=proj_1:admin',
  ])('are refused if they are written as "%s"', (text) => {
    expect(parseGroupRole(text)).toBeNull();
  });

  it('give the role that may do most if several give one in a project', () => {
    const mapping = [
      { group: 'a', projectId: one, role: 'admin' },
      { group: 'b', projectId: one, role: 'viewer' },
      { group: 'b', projectId: other, role: 'developer' },
      { group: 'c', projectId: other, role: 'admin' },
    ] as const;
    expect(rolesFromGroups(['b', 'a', 'unknown'], mapping)).toEqual({
      isOperator: null,
      roles: new Map([
        [one, 'admin'],
        [other, 'developer'],
      ]),
    });
  });

  it('decide who is an operator only if one of them makes operators', () => {
    const mapping = [{ group: 'ops', isOperator: true }] as const;
    expect(rolesFromGroups([], mapping).isOperator).toBe(false);
    expect(rolesFromGroups(['ops'], mapping).isOperator).toBe(true);
    expect(rolesFromGroups(['ops'], []).isOperator).toBeNull();
  });
});
