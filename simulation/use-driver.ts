import { registerHooks } from 'node:module';

// Lets the workflows import the driver instead of Temporal's SDK. Import this module before any of theirs.
registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier === '@temporalio/workflow' ? new URL('temporal/workflow-names.ts', import.meta.url).href : specifier,
      context,
    ),
});
