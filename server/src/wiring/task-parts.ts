import type { Box } from '@kinora/boxes/box';
import type { ApiParts } from '../api/api-parts.ts';
import { presentTask } from '../api/presenters/present-task.ts';
import { limits } from '../domain/limits.ts';
import { createImages } from '../media/images.ts';
import { countImageCreates } from '../operations/files/count-image-creates.ts';
import { deleteFile, findFile } from '../operations/files/find-file.ts';
import { uploadFile } from '../operations/files/upload-file.ts';
import type { Forecasts } from '../operations/queue/forecasts.ts';
import { createProjectLimit, type ProjectLimit } from '../operations/queue/project-limit.ts';
import { createWaitingLimit } from '../operations/queue/waiting-limit.ts';
import { cancelTask } from '../operations/tasks/cancel-task.ts';
import { createTask } from '../operations/tasks/create-task.ts';
import { deleteTask } from '../operations/tasks/delete-task.ts';
import { listTasks } from '../operations/tasks/list-tasks.ts';
import { readFile } from '../operations/tasks/read-file.ts';
import { readTask } from '../operations/tasks/read-task.ts';
import { readTimeline } from '../operations/tasks/read-timeline.ts';
import { type Foundation, wireStorage } from './foundation.ts';
import { wireFetcher } from './wire-webhooks.ts';

type TaskParts = Pick<
  ApiParts,
  'createTask' | 'readTask' | 'listTasks' | 'cancelTask' | 'deleteTask' | 'readTimeline' | 'readFile' | 'files'
>;

/** Wires what callers can do with tasks and files. Must be closed. */
export function taskParts(
  { config, db, clock, log, catalogue, storage, workflows }: Foundation,
  box: Box,
  { forecasts, reportLimit }: { forecasts: Forecasts; reportLimit: ProjectLimit },
): { parts: TaskParts; close(): Promise<void> } {
  const { KINORA_SCRATCH_FOLDER: scratchRoot, KINORA_MEDIA_CONCURRENCY: poolSize } = config;
  const images = createImages({ box, scratchRoot, poolSize });
  const fetcher = wireFetcher(config, { perAddress: limits.fetches });
  const createLimit = createProjectLimit({ clock }, limits.creates);
  const imageLimit = createProjectLimit({ clock }, limits.images);
  // Slow callers hold its connections, so nothing else may need them.
  const downloads = wireStorage(config, config.KINORA_DOWNLOAD_LIMIT);
  const creating: Parameters<typeof createTask>[0] = {
    db,
    catalogue,
    storage,
    images,
    fetcher,
    workflows,
    clock,
    imageLimit,
    countImageCreate: countImageCreates({ clock }),
    waitingLimit: createWaitingLimit({ db, clock, limit: config.KINORA_WAITING_LIMIT }),
    presentCreated: (created) => JSON.stringify(presentTask({ ...created, live: null }, null)),
  };
  const parts: TaskParts = {
    createTask: (input) => {
      const create = () => createTask(creating, input);
      // Creates with an image have another limit, which lasts until the image is stored.
      return input.request.imageUrl === null ? createLimit.run(input.caller, create) : create();
    },
    readTask: async (...request) => forecasts.one(await readTask({ db }, ...request)),
    listTasks: async (caller, query) => {
      const page = await reportLimit.run(caller, () => listTasks({ db, clock }, caller, query));
      return { ...page, views: await forecasts.add(page.views) };
    },
    cancelTask: async (caller, taskId) => {
      await cancelTask({ db, workflows, clock }, taskId, caller);
      return readTask({ db }, caller, taskId);
    },
    deleteTask: (caller, taskId) => deleteTask({ db, storage, workflows, clock, log }, caller, taskId),
    readTimeline: (caller, taskId) => readTimeline({ db, clock }, caller, taskId),
    readFile: (...request) => readFile({ db, storage: downloads, clock }, ...request),
    files: {
      upload: (caller, upload) =>
        imageLimit.run(caller, () => uploadFile({ db, images, storage, clock }, caller, upload)),
      find: (caller, fileId) => findFile({ db, clock }, caller, fileId),
      delete: (caller, fileId) => deleteFile({ db, storage, clock }, caller, fileId),
    },
  };
  const close = async (): Promise<void> => {
    downloads.close();
    await images.close();
    await fetcher.close();
  };
  return { parts, close };
}
