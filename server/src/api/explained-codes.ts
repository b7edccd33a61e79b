import type { TaskFailureCode } from '../domain/failure.ts';
import type { WarningCode } from '../domain/generation-request.ts';
import type { ErrorCode } from '../errors.ts';

/** Explains a code to callers: what happened, and what they can do. */
export interface Explanation {
  happened: string;
  todo: string;
}

/** The error codes of requests, by topic. The types make sure that no code is missing; `errors.ts` has their statuses. */
export const explainedErrors: Record<ErrorCode, Explanation> = {
  missing_parameter: {
    happened: 'A required parameter is missing.',
    todo: 'Add the parameter that `param` names. `details` lists all problems.',
  },
  invalid_parameter: {
    happened: 'A parameter has the wrong type or a value that is not allowed.',
    todo: 'Correct it. `details` lists all problems, with the allowed values.',
  },
  unknown_parameter: {
    happened:
      'The query, or a body that is read strictly, has a parameter that the operation does not know. Creates are read ' +
      'strictly only with `Prefer: handling=strict`.',
    todo: 'Check the spelling, or leave the parameter out.',
  },
  unknown_model: {
    happened: 'This installation has no model with the id or alias in `model`.',
    todo: 'Choose one from `GET /v1/models`, or leave `model` out.',
  },
  unsupported_combination: {
    happened: 'The model does not support this combination of resolution, aspect ratio, duration or type.',
    todo: 'Change what `details` names, or choose another model.',
  },
  prompt_too_long: {
    happened: 'The prompt has more than 2000 characters.',
    todo: 'Shorten the prompt.',
  },
  content_policy: {
    happened: 'The request violates the content policy of this installation.',
    todo: 'Change the prompt or the image.',
  },
  image_unreachable: {
    happened: 'The image could not be fetched from `image_url` within 10 seconds.',
    todo: 'Check that the URL opens without a login, or upload the image with `POST /v1/files`.',
  },
  image_forbidden_address: {
    happened: 'The service does not fetch from this address: it is private, or its port or scheme is not allowed.',
    todo: 'Use a public https URL, a data URI or the id of an uploaded file.',
  },
  image_too_large: {
    happened: 'The image has more bytes or pixels than allowed. The message names the limits.',
    todo: 'Send a smaller image, or send a large one by URL or upload instead of inline.',
  },
  image_unsupported_format: {
    happened: 'The image is not a JPEG, PNG or WebP.',
    todo: 'Convert the image.',
  },
  image_bad_dimensions: {
    happened: 'A side of the image is too short or too long, or the image is too narrow or too wide.',
    todo: 'Resize or crop the image to the limits in the message.',
  },
  image_undecodable: {
    happened: 'The image is damaged.',
    todo: 'Save the image again with another program.',
  },
  malformed_request: {
    happened: 'The request is not valid HTTP/1.1, or its form is damaged.',
    todo: 'Check the client or the proxy that sends the request.',
  },
  invalid_json: {
    happened: 'The body is empty or not valid JSON.',
    todo: 'Send a JSON object in UTF-8.',
  },
  unsupported_media_type: {
    happened: 'The body has a `Content-Type` that the operation does not accept.',
    todo: 'Send the type that the message names, usually `application/json`.',
  },
  payload_too_large: {
    happened: 'The body is larger than the operation accepts.',
    todo: 'Send a smaller body. Send a large image by URL, or upload it with `POST /v1/files`.',
  },
  uri_too_long: {
    happened: 'The URL has more than 8192 characters.',
    todo: 'Move long values from the query to the body.',
  },
  headers_too_large: {
    happened: 'The headers of the request are too large.',
    todo: 'Send fewer or shorter headers.',
  },
  request_timeout: {
    happened: 'The request did not arrive completely in time.',
    todo: 'Send it again over a better connection.',
  },
  missing_api_key: {
    happened: 'The request has no API key or token.',
    todo: 'Send `Authorization: Bearer <key>`.',
  },
  invalid_api_key: {
    happened: 'The API key does not exist, or the token was not made by this installation.',
    todo: 'Check the key for typing errors, and that it belongs to this installation. Get a new token.',
  },
  expired_api_key: {
    happened: 'The API key or the token has expired.',
    todo: 'Create a new key with another one, or ask the operator. Get a new token.',
  },
  revoked_api_key: {
    happened: 'The API key was revoked, or the token’s key, session or membership has ended.',
    todo: 'Use another key. Sign in again if you use the console.',
  },
  not_signed_in: {
    happened: 'Only in the console: the request has no session, or the session has ended.',
    todo: 'Sign in.',
  },
  sign_in_failed: {
    happened: 'Only in the console: the e-mail address or the password is wrong, or the person may not sign in.',
    todo: 'Try again, or ask an operator for a link that sets a new password.',
  },
  sign_in_again: {
    happened: 'A person in the console wants to do something that needs a recent sign-in.',
    todo: 'Sign in again, then repeat the request. Programs with API keys never get this code.',
  },
  sign_in_link_invalid: {
    happened: 'Only in the console: a one-time link was already used, has expired or was replaced by another one.',
    todo: 'Ask an operator for a new link.',
  },
  insufficient_role: {
    happened: 'Only in the console: the role of the person does not allow the request.',
    todo: 'Ask an admin of the project, or an operator.',
  },
  cross_site_request: {
    happened: 'Only in the console: the request changes something and does not come from a page of the console.',
    todo: 'Use the console, or call the public API with an API key.',
  },
  insufficient_scope: {
    happened: 'The API key or token lacks the scope that the operation needs, or the token is for another task.',
    todo: 'Use a key that has the scope. The message names it.',
  },
  project_suspended: {
    happened: 'The operator has suspended the project. It can only delete its tasks and files.',
    todo: 'Ask the operator of the installation.',
  },
  signature_invalid: {
    happened: 'The signed URL has expired, or was changed.',
    todo: 'Read the task again to get a new URL.',
  },
  task_not_found: {
    happened: 'The project has no task with this id in the mode of the key.',
    todo: 'Check the id, and that the key is of the same project and mode.',
  },
  not_found: {
    happened: 'The address or the id does not exist, or the task has no files yet. The message says which.',
    todo: 'Check the path and the id. If the task is still running, wait until it has completed.',
  },
  method_not_allowed: {
    happened: 'The address exists, but not with this method. The header `Allow` lists the methods.',
    todo: 'Use the method that the message names.',
  },
  task_deleted: {
    happened: 'The task was deleted, and its content with it.',
    todo: 'If you still need the video, create a new task.',
  },
  video_expired: {
    happened: 'The files of the task were deleted at its `expires_at`.',
    todo: 'Create a new task with the same request and `seed`, and download the video in time.',
  },
  range_not_satisfiable: {
    happened: '`Range` starts after the end of the file. `Content-Range` has the size of the file.',
    todo: 'Request a range within the file.',
  },
  task_not_cancellable: {
    happened: 'The task has completed or failed, so it cannot be cancelled.',
    todo: 'You do not have to do anything. Read the task to see how it ended.',
  },
  idempotency_in_progress: {
    happened: 'An earlier request with this `Idempotency-Key` is still being processed.',
    todo: 'Send the same request again after `Retry-After`.',
  },
  idempotency_key_reused: {
    happened: 'This `Idempotency-Key` was used for another request in the last 7 days.',
    todo: 'Use a new key for every new request.',
  },
  webhook_endpoint_disabled: {
    happened: 'The webhook endpoint is disabled, so nothing is sent to it.',
    todo: 'Enable the endpoint first.',
  },
  too_many_webhook_endpoints: {
    happened: 'The project has reached its limit of webhook endpoints.',
    todo: 'Delete an endpoint first.',
  },
  too_many_api_keys: {
    happened: 'The project has reached its limit of valid API keys.',
    todo: 'Revoke a key first.',
  },
  too_many_members: {
    happened: 'Only in the console: the project has reached its limit of members or of invited people.',
    todo: 'Remove members first, or ask an operator.',
  },
  rate_limited: {
    happened: 'The key, the project or the client address has sent too many requests. The message names the limit.',
    todo: 'Wait for the time in `Retry-After`, and spread your requests. `GET /v1/limits` shows the limits.',
  },
  too_many_waiting_tasks: {
    happened:
      'The project has reached its limit of waiting tasks, for the engines of this model or for all models. The message names it.',
    todo: 'Keep the request, and send it again, with the same `Idempotency-Key`, once some tasks have started: an event or `GET /v1/limits` tells. Repeating it at once does not help.',
  },
  storage_limit_reached: {
    happened: 'The project has reached its storage limit, in bytes or in number of files.',
    todo: 'Delete tasks or uploaded files, or wait until some expire.',
  },
  internal_error: {
    happened: 'Something went wrong inside the service.',
    todo: 'Try again if `retryable` is true. If it happens again, report it with the request id.',
  },
  no_engine_available: {
    happened: 'The operator has disabled the model that `model` names.',
    todo: 'Choose another model, or leave `model` out.',
  },
  moving: {
    happened: 'The project is moving to another installation behind the same address.',
    todo: 'Try again after `Retry-After`. Keys, tokens, ids and links stay valid.',
  },
  overloaded: {
    happened: 'The service cannot accept the request right now.',
    todo: 'Try again after `Retry-After`.',
  },
};

/** The codes in `error.code` of a failed task. `failure.ts` says which of them are retryable. */
export const explainedFailures: Record<TaskFailureCode, Explanation> = {
  engine_rejected_input: {
    happened: 'The engine cannot render this prompt or image.',
    todo: 'Change the prompt or the image.',
  },
  output_rejected: {
    happened: 'The video was rejected after rendering, for example by a content filter of the engine.',
    todo: 'Change the prompt.',
  },
  output_invalid: {
    happened: 'The engine did not deliver a usable video, in any of three attempts.',
    todo: 'Try again with another `seed`.',
  },
  engine_out_of_memory: {
    happened: 'The engine ran out of memory, in each of three attempts.',
    todo: 'Try a smaller resolution or a shorter duration.',
  },
  engine_crashed: {
    happened: 'The engine crashed while rendering, in each of three attempts.',
    todo: 'Try again later.',
  },
  engine_lost: {
    happened: 'The engine lost the job, in each of three attempts.',
    todo: 'Try again later.',
  },
  generation_stalled: {
    happened: 'The engine stopped making progress, in each of three attempts.',
    todo: 'Try again later.',
  },
  engine_unavailable: {
    happened: 'No engine accepted the task.',
    todo: 'Try again later, or choose another model.',
  },
  deadline_exceeded: {
    happened: 'The task waited or rendered for longer than the installation allows.',
    todo: 'Try again; if it was rendering, try a shorter duration.',
  },
  storage_failed: {
    happened: 'The video was rendered, but could not be stored.',
    todo: 'Try again later.',
  },
  internal_error: {
    happened: 'Something went wrong inside the service.',
    todo: 'Try again. If it happens again, report it with the task id.',
  },
};

/** The codes in `warnings` of a task or an estimate. */
export const explainedWarnings: Record<WarningCode, Explanation> = {
  unknown_parameter: {
    happened: 'The request has a field that does not exist. It was ignored.',
    todo: 'Check the spelling; the message may suggest a name. `Prefer: handling=strict` refuses such requests.',
  },
  ignored_parameter: {
    happened: 'The field exists, but has no effect in this request, such as `image_url` in text to video.',
    todo: 'Leave the field out, or call the operation that uses it.',
  },
  ignored_directive: {
    happened: 'The prompt has a test directive without effect: its name is misspelled, or the key is a live one.',
    todo: 'Correct the name, or use a test key (`kin_test_…`).',
  },
  model_not_served: {
    happened: 'The task is queued, and no engine serves its model at present.',
    todo: 'Wait: the task starts when an engine serves the model again. Or cancel it, and choose another model.',
  },
  unsupported_parameter: {
    happened: 'The model cannot use the field, such as `negative_prompt`. It was ignored.',
    todo: 'Choose a model that supports it, or leave it out.',
  },
  prompt_not_understood: {
    happened:
      'The built-in engine cannot draw everything that the prompt names, or the prompt of an image names no camera ' +
      'move. The message says what is left out.',
    todo: 'Use words that it knows, or another model.',
  },
  seed_reduced: {
    happened: 'The seed is 2^32 or larger. Engines get the remainder of its division by 2^32.',
    todo: 'Use a smaller seed if you want to compare seeds.',
  },
  size_adjusted: {
    happened: 'The service does not make videos of this `size`. The nearest size was chosen.',
    todo: 'Send one of the sizes that the operation lists.',
  },
};
