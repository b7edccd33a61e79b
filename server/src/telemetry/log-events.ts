interface LogEventDescription {
  /** The level at which the event is usually logged. */
  level: 'debug' | 'info' | 'warn' | 'error' | 'fatal';
  /** What happened, and what an operator should do about it, if anything. */
  meaning: string;
}

/** Every event that the server logs. Filters and proofs match the names. docs/operations/logs.md is generated. */
export const logEvents = {
  'process.failed': {
    level: 'fatal',
    meaning: 'The process could not start, or could not shut down; `err` says why. The process ends with status 1.',
  },
  'process.stopping': {
    level: 'info',
    meaning: 'The process received the signal in `signal` and hands over what it is doing.',
  },
  'process.stopped': { level: 'info', meaning: 'Shutdown is complete after `seconds`.' },
  'process.stop_timed_out': {
    level: 'error',
    meaning: 'Shutdown took longer than 60 s, so the process ended anyway. Other processes take over its work.',
  },
  'failpoint.hit': {
    level: 'fatal',
    meaning: 'A failpoint killed the process. Only KINORA_FAILPOINTS arms one, and production refuses it.',
  },
  'secrets.check_failed': {
    level: 'warn',
    meaning:
      'Whether KINORA_SECRET_KEYS opens all stored secrets could not be checked at start, usually because Postgres is unreachable. The relay checks every minute.',
  },
  'part.unusable': {
    level: 'warn',
    meaning:
      'At start, the part in `part` could not be used for the reason in `reason`. `settings` names the settings to check, and `remedy` says what to do. The process runs on, and uses the part once it can. `kinora-server doctor` checks more.',
  },
  'private_port.public': {
    level: 'warn',
    meaning:
      'The private port listens on the public addresses in `addresses`. Set KINORA_PRIVATE_HOST to a private one, or make sure that a firewall protects it.',
  },
  'database.connection_lost': {
    level: 'warn',
    meaning: 'An idle connection to Postgres ended. The pool opens another one; check Postgres if it repeats.',
  },
  'models_file.not_set': {
    level: 'info',
    meaning:
      'KINORA_MODELS_FILE is not set, so the built-in engine, the animatic, serves all requests. Start kinora-animatic.',
  },
  'models_file.loaded': {
    level: 'info',
    meaning: 'The models file changed and is in effect. The line lists the models and endpoints that changed.',
  },
  'models_file.rejected': {
    level: 'error',
    meaning: 'The models file has problems, so the previous one stays in effect. Correct the lines in `problems`.',
  },
  'models_file.differs': {
    level: 'warn',
    meaning:
      'Processes have had different models files for over 2 min. Give all of them the same file; tasks and jobs that a process does not know wait up to 10 min for one that does.',
  },
  'process.stuck': {
    level: 'fatal',
    meaning: 'The main thread did nothing for a minute, so the process ended itself. Report what it logged before.',
  },
  'process.report_failed': {
    level: 'warn',
    meaning: 'The process could not report itself and its models file. It retries every 5 s; check Postgres.',
  },
  'models_file.recovered': { level: 'info', meaning: 'The models file had problems and is valid again.' },

  'console.openid_failed': {
    level: 'warn',
    meaning:
      'A sign-in with OpenID Connect did not succeed. `problem`: `away` (the provider did not respond), `declined` (it refused), or `failed` (the response was not valid); `reason` says more.',
  },
  'console.listening': { level: 'info', meaning: 'The console accepts requests at `url`.' },
  'console.needs_operator': {
    level: 'warn',
    meaning:
      'Nobody can run the installation in the console yet. The person who opens `link` within 24 hours becomes the operator; it works once.',
  },
  'refused_sign_ins.write_failed': {
    level: 'warn',
    meaning: 'A refused sign-in to the console is missing in the audit log, because Postgres could not be written to.',
  },
  'console.link_failed': {
    level: 'error',
    meaning:
      'The link for the first operator could not be stored. `kinora-server people first-operator` prints one once Postgres is back.',
  },
  'api.listening': { level: 'info', meaning: 'The API accepts requests at `url`.' },
  'request.completed': { level: 'info', meaning: 'The API sent a response. Health checks are logged at debug.' },
  'request.unavailable': {
    level: 'warn',
    meaning:
      'A request got 503 because Postgres or the store is unreachable, or the API is overloaded. Callers should retry.',
  },
  'request.failed': {
    level: 'error',
    meaning: 'A request failed for an unexpected reason. Report it with `err`.',
  },
  'links.sign_failed': {
    level: 'error',
    meaning: 'The URLs of a task could not be signed, so the caller got the task without them. Check the store.',
  },
  'stream.failed': { level: 'error', meaning: 'An event stream ended early. The client reconnects.' },
  'download.failed': {
    level: 'warn',
    meaning: 'A download ended early: the caller left, or the store became unreachable.',
  },
  'engine_callback.failed': {
    level: 'warn',
    meaning: "An engine's callback could not be stored and got 503. The engine should send it again.",
  },
  'stream_keys.check_failed': {
    level: 'debug',
    meaning: 'The API could not check whether the keys of open streams are still valid. It checks again in a second.',
  },
  'address.limited': {
    level: 'warn',
    meaning:
      'The client at `clientAddress` sends too many requests without a valid key and gets 429. Logged once a minute at most. If it is your proxy, list it in KINORA_TRUSTED_PROXIES.',
  },
  'known_keys.load_failed': {
    level: 'warn',
    meaning: 'The API could not load which keys are valid. It accepts them all the same, and retries.',
  },
  'refused_keys.write_failed': {
    level: 'warn',
    meaning: 'Refused keys of the last minute could not be written into the audit log. The API retries after a minute.',
  },
  'key_use.write_failed': {
    level: 'warn',
    meaning: 'The last use of some keys could not be stored. The API retries.',
  },
  'task_changes.read_failed': {
    level: 'debug',
    meaning: 'Changes for open streams could not be read. The API retries in a second.',
  },
  'notices.send_failed': {
    level: 'debug',
    meaning: 'Other processes were not notified of changes. They read the rows within 15 s.',
  },
  'speeds.read_failed': { level: 'debug', meaning: 'Measured speeds could not be read. The last ones stay in use.' },
  'task_files.delete_failed': {
    level: 'warn',
    meaning: 'The files of a deleted task are still in the store. The relay deletes them when they expire.',
  },
  'workflow.start_failed': {
    level: 'warn',
    meaning: 'Temporal did not start a workflow. The relay starts it from the outbox.',
  },
  'outbox.delete_failed': {
    level: 'warn',
    meaning: 'Outbox rows of started workflows could not be deleted. The relay sends them again, without effect.',
  },

  'relay.started': { level: 'info', meaning: "The relay's timers are running." },
  'relay.timer_failed': {
    level: 'warn',
    meaning: 'One run of a timer of the relay failed; `timer` names it. It runs again within a minute.',
  },
  'outbox.send_failed': {
    level: 'warn',
    meaning: 'Temporal did not accept `messages` outbox messages. The relay retries within 10 s.',
  },
  'secrets.unreadable': {
    level: 'error',
    meaning:
      'No key of KINORA_SECRET_KEYS decrypts `secrets` stored webhook or callback secrets. Put the removed key back at the end of the list.',
  },
  'reconciler.finding': {
    level: 'warn',
    meaning: 'The reconciler found and repaired a disagreement of the kind `kind`. An `admitted` finding is info.',
  },
  'objects.swept': {
    level: 'info',
    meaning:
      'The relay moved orphaned objects to the trash (`trashed`), deleted objects of deleted tasks (`erased`) and old trash (`emptied`), and aborted interrupted uploads.',
  },
  'sweep.refused': {
    level: 'warn',
    meaning:
      'The sweep changed nothing, because the database does not seem to be the one of the bucket; `explanation` says why. Check both before the next sweep.',
  },
  'reconciler.step_failed': {
    level: 'warn',
    meaning:
      'In a round of the reconciler, `failures` projects or tasks of one step failed. The others were seen to; the next round tries again.',
  },
  'pool.unserved': {
    level: 'warn',
    meaning:
      'A pool has had no accepting endpoint for 60 s, so `tasks` admitted tasks of a project wait for admission again.',
  },
  'pool.served': { level: 'info', meaning: 'A pool has an accepting endpoint again, and its tasks are admitted.' },
  'storage.recounted': {
    level: 'warn',
    meaning:
      'The count of stored bytes of a project was wrong by `bytes` and `files`, and was corrected. Expected after an upgrade; otherwise report it.',
  },
  'files.expired': { level: 'info', meaning: 'The relay deleted files whose retention period is over.' },
  'partitions.dropped': { level: 'info', meaning: 'The relay dropped expired partitions of records or usage.' },
  'partitions.kept': {
    level: 'warn',
    meaning: 'Expired partitions have tasks that have not ended, so they stay. Check these tasks.',
  },

  'box.started': {
    level: 'info',
    meaning:
      'kinora-media, which starts the child processes, is ready. `isolation` says how they are isolated; see docs/operations/isolation.md.',
  },
  'worker.starting': { level: 'info', meaning: 'The worker starts.' },
  'worker.polling': { level: 'info', meaning: 'The worker is connected to Temporal and polls for work.' },
  'worker.failed': {
    level: 'fatal',
    meaning: 'The worker cannot poll for work any more and ends, so that its supervisor starts it again.',
  },
  'pool.polling': { level: 'info', meaning: 'The worker polls for the tasks of the pool in `pool`.' },
  'temporal.unreachable': {
    level: 'warn',
    meaning: 'The worker cannot connect to Temporal. It retries every second; check KINORA_TEMPORAL_ADDRESS.',
  },
  'temporal.reported': {
    level: 'warn',
    meaning:
      "A message of Temporal's SDK, such as calls that it retries while Temporal is unreachable. Errors from the SDK have level error.",
  },
  'activity.failed': {
    level: 'warn',
    meaning: 'A step of a task or of a webhook delivery failed with `err`. Temporal retries it.',
  },
  'webhook.secret_unreadable': {
    level: 'error',
    meaning:
      'A delivery was not sent, because no key of KINORA_SECRET_KEYS decrypts the secret that signs it. It is retried on schedule, and is dead after the last try.',
  },
  'endpoint.checked': { level: 'info', meaning: 'An endpoint responded and matches the models file.' },
  'endpoint.check_failed': {
    level: 'warn',
    meaning: 'An endpoint gets no jobs until the `problems` are solved, in the models file or at the engine.',
  },
  'endpoint.owned': { level: 'info', meaning: "This worker holds the endpoint's lock and gives it jobs." },
  'endpoint.lost': {
    level: 'warn',
    meaning: "The connection that held the endpoint's lock ended. A worker takes the lock again within seconds.",
  },
  'endpoint.given_up': {
    level: 'info',
    meaning: 'This worker had more endpoints than its share. Another one owns the endpoint within seconds.',
  },
  'endpoint.accepting': { level: 'info', meaning: 'The endpoint gets jobs, with the number of slots in `slots`.' },
  'endpoint.unavailable': {
    level: 'warn',
    meaning: 'The endpoint gets no jobs; `reason` says why. Its return is logged as endpoint.accepting.',
  },
  'endpoint.probe_failed': {
    level: 'warn',
    meaning: 'The state of the endpoint could not be read or stored, usually because Postgres is unreachable.',
  },
  'endpoint.failure_recorded': {
    level: 'warn',
    meaning: 'A job failed in a way that counts against its endpoint. The endpoint still gets jobs.',
  },
  'endpoint.tripped': {
    level: 'warn',
    meaning: 'Too many jobs in a row failed: the endpoint gets no jobs for `trippedSeconds`. Check the engine.',
  },
  'endpoint.excused': {
    level: 'info',
    meaning: 'A task failed on two endpoints, so this failure no longer counts against the endpoint. Check the task.',
  },
  'endpoint.record_failed': {
    level: 'warn',
    meaning: 'The outcome of a job could not be recorded for its endpoint. This costs at most one attempt.',
  },
  'endpoint.retired': {
    level: 'info',
    meaning: 'The endpoint left the models file, or changed. It gets no new jobs; running ones continue.',
  },
  'endpoint.removed': { level: 'info', meaning: 'The last job of a retired endpoint ended and its lock is released.' },
  'endpoint.close_failed': { level: 'error', meaning: 'A retired endpoint could not be closed. Restart the worker.' },
  'lease.drain_failed': {
    level: 'debug',
    meaning: 'An engine could not be asked to stop a job that is not wanted any more. Its slot stays taken.',
  },
  'progress.write_failed': { level: 'debug', meaning: 'Progress could not be stored. Only percentages are lost.' },

  'attempt.begun': {
    level: 'info',
    meaning: 'A slot was taken for the task. `queuedSeconds`, in the first attempt, is the time since its creation.',
  },
  'attempt.taken_over': {
    level: 'info',
    meaning:
      'A worker continues an attempt that another worker, or an earlier try, did not finish. If this is frequent, check the workers.',
  },
  'attempt.worker_gone': {
    level: 'warn',
    meaning:
      'The worker of a task has given no sign of life for 14 s, so another one goes on with it. Find out why it died.',
  },
  'attempt.failed': {
    level: 'warn',
    meaning: 'The attempt failed with `outcome`. The task is retried, or fails after its last attempt.',
  },
  'image.read_failed': {
    level: 'warn',
    meaning: "A task's image could not be read from the store. The task waits, without a slot, until it can.",
  },
  'image.fit_failed': {
    level: 'warn',
    meaning: "A task's image could not be scaled. The task fails if that happens five times.",
  },
  'job.submitted': { level: 'info', meaning: 'The engine accepted the job within `submitSeconds`.' },
  'job.refused': {
    level: 'warn',
    meaning:
      'The engine did not accept the job. The task is queued again, and the endpoint gets no jobs until a probe succeeds.',
  },
  'job.submit_unconfirmed': {
    level: 'warn',
    meaning: 'The engine did not confirm the job, but may be running it. The worker polls it as usual.',
  },
  'job.rendered': {
    level: 'info',
    meaning: 'The engine finished the job and its slot is free, after `engineSeconds`.',
  },
  'job.failed': { level: 'warn', meaning: "The engine reports that the job failed; `reason` has the engine's words." },
  'job.cancelled': {
    level: 'info',
    meaning: 'The task was cancelled, failed or moved to another attempt, so the engine was asked to stop the job.',
  },
  'output.fetch_failed': {
    level: 'warn',
    meaning: 'The engine has no usable output for a job that it calls finished. The attempt fails.',
  },
  'output.rejected': {
    level: 'warn',
    meaning: 'The engine delivered a file that is not a usable video. The attempt fails.',
  },
  'output.delete_failed': {
    level: 'warn',
    meaning: "The engine's raw file is still in the store. The relay sweeps it after a day.",
  },
  'task.completed': {
    level: 'info',
    meaning:
      'The video is stored, `finishSeconds` after finishing began and `totalSeconds` after the task was created.',
  },
  'task.finish_queued': {
    level: 'info',
    meaning:
      'The worker that rendered the task did not finish it. The output goes to the store, and any worker finishes it.',
  },
  'task.failed': {
    level: 'warn',
    meaning: 'The task failed for good with the error `code`; the caller sees the same code.',
  },
} as const satisfies Record<string, LogEventDescription>;

export type LogEvent = keyof typeof logEvents;
