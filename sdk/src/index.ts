export type { ApiKeys } from './api-keys.ts';
export type { AuditEvents } from './audit-events.ts';
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
export type { Files } from './files.ts';
export { type FollowEventsUrlOptions, followEventsUrl } from './follow-events-url.ts';
export type { FollowProjectOptions } from './follow-project.ts';
export type { FollowOptions } from './follow-task.ts';
export type {
  ApiKey,
  AuditEvent,
  CallbackSecret,
  ChangeWebhookEndpoint,
  CreateApiKey,
  CreateToken,
  CreateWebhookEndpoint,
  DeletedApiKey,
  DeletedFile,
  DeletedTask,
  DeletedWebhookEndpoint,
  Estimate,
  File as UploadedFile,
  IssuedApiKey,
  IssuedWebhookEndpoint,
  Limits,
  Model,
  Price,
  RotateApiKey,
  RotateWebhookSecret,
  Timeline,
  Token,
  TriedWebhookDelivery,
  Usage,
  Video,
  Warning,
  WebhookDelivery,
  WebhookEndpoint,
} from './generated/types.ts';
export type { RequestOptions } from './http.ts';
export type { ImageBytes, ImageSource } from './image-source.ts';
export { Kinora, type KinoraOptions } from './kinora.ts';
export type { Page, PagePromise } from './list-pages.ts';
export type { Models } from './models.ts';
export type { ResponsePromise, WithResponse } from './response-promise.ts';
export type { DownloadOptions, SavedFile, SaveOptions, SaveProgress } from './save-file.ts';
export type {
  CancelledTask,
  CompletedTask,
  DeliveredTask,
  FailedTask,
  KinoraEvent,
  Task,
  TaskReference,
  TestEvent,
  UnfinishedTask,
  WebhookEvent,
} from './task.ts';
export type { Tokens } from './tokens.ts';
export { unwrapWebhook } from './unwrap-webhook.ts';
export type {
  CreateOptions,
  ImageToVideo,
  ListVideos,
  RunOptions,
  TextToVideo,
  Videos,
  WaitOptions,
} from './videos.ts';
export type { WebhookEndpoints } from './webhook-endpoints.ts';
