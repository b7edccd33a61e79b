import { describe, expect, test } from 'vitest';
import type { ManagedProject } from '../../api/all-projects.ts';
import { changeOf, limitFields, problemOfLimit, textsOf } from './project-limits.ts';

const project: ManagedProject = {
  id: 'proj_1',
  name: 'Acme',
  created_at: 0,
  suspended_at: null,
  running_limit: 4,
  waiting_limit: 100,
  creates_per_minute: 60,
  reads_per_minute: 600,
  storage_limit_bytes: 1_500_000_000,
  files_limit: 10,
  weight: 0.5,
  running: { live: 0, test: 0 },
  waiting: { live: 0, test: 0 },
  stored_bytes: 0,
  members: 0,
};

describe('the limits of a project', () => {
  test('are sent only if they changed', () => {
    const texts = textsOf(project);
    expect(changeOf(project, 'Acme', texts)).toEqual({});
    expect(changeOf(project, 'New', { ...texts, running_limit: '8', storage_limit_bytes: '2.5' })).toEqual({
      name: 'New',
      running_limit: 8,
      storage_limit_bytes: 2_500_000_000,
    });
  });

  test('must be numbers that the server takes', () => {
    const [running] = limitFields;
    const weight = limitFields.find(({ name }) => name === 'weight');
    if (!running || !weight) throw new Error('the fields have gone');
    expect(problemOfLimit(running, '')).toBe('Enter a number.');
    expect(problemOfLimit(running, '1.5')).toBe('Enter a whole number.');
    expect(problemOfLimit(running, '-1')).toBe('At least 0.');
    expect(problemOfLimit(running, '0')).toBeNull();
    expect(problemOfLimit(weight, '0.5')).toBeNull();
    expect(problemOfLimit(weight, '0')).toBe('At least 0.001.');
  });
});
