export type { ApiKeys } from './api-keys.ts';
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ErrorDetail,
  GoneError,
  IdempotencyError,
  InvalidRequestError,
  KinoraError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TaskCancelledError,
  TaskFailedError,
  WebhookVerificationError,
} from './errors.ts';
export { type FollowEventsUrlOptions, followEventsUrl } from './follow-events-url.ts';
export type { FollowProjectOptions } from './follow-project.ts';
export type { FollowOptions } from './follow-task.ts';
export type {
  ApiKey,
  CreateApiKey,
  DeletedApiKey,
  DeletedTask,
  Estimate,
  Event,
  File as UploadedFile,
  IssuedApiKey,
  Limits,
  Model,
  Price,
  RotateApiKey,
  Task,
  Timeline,
  Usage,
  Video,
  Warning,
} from './generated/types.ts';
export type { RequestOptions } from './http.ts';
export type { ImageSource } from './image-source.ts';
export { Kinora, type KinoraOptions } from './kinora.ts';
export { unwrapWebhook } from './unwrap-webhook.ts';
export type {
  CreateOptions,
  DownloadOptions,
  ImageToVideo,
  ListVideos,
  RunOptions,
  TextToVideo,
  Videos,
} from './videos.ts';
