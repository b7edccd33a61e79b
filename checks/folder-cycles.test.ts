import { describe, expect, it } from 'vitest';
import { countRooms, folderCycles, type SourceFile } from './folder-cycles.ts';

const file = (path: string, ...imports: string[]): SourceFile => ({ path, imports });

describe('folderCycles', () => {
  it('accepts children that import each other in one direction only', () => {
    const files = [
      file('src/main.ts', 'src/routes/create.ts', 'src/schemas/task.ts'),
      file('src/routes/create.ts', 'src/schemas/task.ts', 'src/schemas/error.ts'),
      file('src/schemas/task.ts', 'src/schemas/error.ts'),
      file('src/schemas/error.ts'),
    ];
    expect(folderCycles('src', files)).toEqual([]);
  });

  it('reports two folders that import each other although no two files do', () => {
    const files = [
      file('src/hooks/authorize.ts', 'src/requests/read.ts'),
      file('src/requests/caller.ts', 'src/hooks/count.ts'),
    ];
    expect(folderCycles('src', files)).toEqual([
      {
        folder: 'src',
        imports: [
          { from: 'src/hooks/authorize.ts', to: 'src/requests/read.ts' },
          { from: 'src/requests/caller.ts', to: 'src/hooks/count.ts' },
        ],
      },
    ]);
  });

  it('reports a folder and a file beside it', () => {
    const files = [file('src/app.ts', 'src/routes/one.ts'), file('src/routes/one.ts', 'src/app.ts')];
    expect(folderCycles('src', files)).toEqual([
      {
        folder: 'src',
        imports: [
          { from: 'src/app.ts', to: 'src/routes/one.ts' },
          { from: 'src/routes/one.ts', to: 'src/app.ts' },
        ],
      },
    ]);
  });

  it('reports a cycle once, in the folder whose children form it, with the imports in order', () => {
    const files = [
      file('src/a/b/one.ts', 'src/a/c/two.ts'),
      file('src/a/c/two.ts', 'src/a/d/three.ts'),
      file('src/a/d/three.ts', 'src/a/b/one.ts'),
      file('src/e.ts', 'src/a/b/one.ts'),
    ];
    expect(folderCycles('src', files)).toEqual([
      {
        folder: 'src/a',
        imports: [
          { from: 'src/a/b/one.ts', to: 'src/a/c/two.ts' },
          { from: 'src/a/c/two.ts', to: 'src/a/d/three.ts' },
          { from: 'src/a/d/three.ts', to: 'src/a/b/one.ts' },
        ],
      },
    ]);
  });

  it('reports every cycle of a folder', () => {
    const files = [
      file('src/a.ts', 'src/b.ts'),
      file('src/b.ts', 'src/a.ts'),
      file('src/c.ts', 'src/d.ts'),
      file('src/d.ts', 'src/c.ts'),
    ];
    expect(folderCycles('src', files)).toHaveLength(2);
  });

  it('ignores files outside the root, and does not confuse folders whose names begin alike', () => {
    const files = [
      file('src/a/one.ts', 'other/two.ts', 'src/ab/three.ts'),
      file('other/two.ts', 'src/a/one.ts'),
      file('src/ab/three.ts'),
    ];
    expect(folderCycles('src', files)).toEqual([]);
  });
});

it('counts the files and sub-folders of a folder, and which of them import which', () => {
  const files = [
    file('src/main.ts', 'src/routes/create.ts', 'src/routes/list.ts'),
    file('src/routes/create.ts', 'src/routes/list.ts', 'src/schemas/task.ts'),
    file('src/routes/list.ts'),
    file('src/schemas/task.ts'),
  ];
  expect(countRooms('src', files)).toEqual({ rooms: 3, arrows: 2 });
});
