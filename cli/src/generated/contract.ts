// Written by scripts/generate.ts from the description of the API.
export const contract = {
  "requestFields": {
    "prompt": {
      "type": "string",
      "minLength": 1,
      "maxLength": 2000,
      "description": "Text describing the video to generate: 1 to 2000 characters after trimming. With a test key, directives in it force an outcome: `[[fail:CODE]]`, `[[fail-once:CODE]]`, `[[delay:SECONDS]]`, `[[stall]]`, `[[lose]]`."
    },
    "image_url": {
      "type": "string",
      "minLength": 1,
      "description": "An https URL, a `data:image/…;base64,` URI or the id of an uploaded file. A JPEG, PNG or WebP: 300 to 6000 px a side, ratio 0.4 to 2.5, at most 20 MB by URL and 10 MB inline. Fetched once, while the task is created."
    },
    "resolution": {
      "enum": [
        "480p",
        "720p",
        "1080p"
      ],
      "type": "string",
      "default": "720p"
    },
    "aspect_ratio": {
      "enum": [
        "16:9",
        "9:16",
        "4:3",
        "3:4",
        "21:9",
        "1:1"
      ],
      "type": "string",
      "description": "Default 16:9; for image to video the nearest of the six to the image."
    },
    "duration": {
      "type": "integer",
      "minimum": 1,
      "maximum": 10,
      "default": 5,
      "description": "Seconds."
    },
    "seed": {
      "type": "integer",
      "minimum": -1,
      "maximum": 9007199254740991,
      "description": "The same seed reproduces the same result. -1 or absent: random, and echoed. Engines get it modulo 2^32."
    },
    "model": {
      "type": "string",
      "description": "Default: the first model that can do the request."
    },
    "negative_prompt": {
      "type": "string",
      "maxLength": 2000,
      "description": "What to avoid. A model that cannot use it says so in `warnings`."
    },
    "image_fit": {
      "enum": [
        "crop",
        "pad",
        "stretch"
      ],
      "type": "string",
      "default": "crop",
      "description": "What happens when image and aspect ratio differ."
    }
  },
  "listFields": {
    "limit": {
      "type": "integer",
      "minimum": 1,
      "maximum": 100,
      "default": 20,
      "description": "How many to answer with at most."
    },
    "after": {
      "type": "string",
      "description": "Go on after this task: `last_id` of the page before. It must be of this project."
    },
    "status": {
      "type": "array",
      "items": {
        "enum": [
          "queued",
          "in_progress",
          "completed",
          "failed",
          "cancelled"
        ],
        "type": "string"
      },
      "maxItems": 20,
      "description": "Only tasks with this status, or with one of several: `status=failed,cancelled` or `status=failed&status=cancelled`."
    },
    "type": {
      "enum": [
        "text_to_video",
        "image_to_video"
      ],
      "type": "string",
      "description": "Only tasks of this type."
    },
    "model": {
      "type": "string",
      "minLength": 1,
      "maxLength": 200,
      "description": "Only tasks that this model renders."
    },
    "resolution": {
      "enum": [
        "480p",
        "720p",
        "1080p"
      ],
      "type": "string",
      "description": "Only tasks with this resolution."
    },
    "aspect_ratio": {
      "enum": [
        "16:9",
        "9:16",
        "4:3",
        "3:4",
        "21:9",
        "1:1"
      ],
      "type": "string",
      "description": "Only tasks with this aspect ratio."
    },
    "q": {
      "type": "string",
      "minLength": 1,
      "maxLength": 500,
      "description": "Only tasks whose prompt has all of these words, in any order and case."
    }
  },
  "task": {
    "type": "object",
    "properties": {
      "task_id": {
        "type": "string",
        "description": "Read the task under /v1/videos/{task_id}."
      },
      "type": {
        "enum": [
          "text_to_video",
          "image_to_video"
        ],
        "type": "string"
      },
      "status": {
        "enum": [
          "queued",
          "in_progress",
          "completed",
          "failed",
          "cancelled"
        ],
        "type": "string"
      },
      "is_final": {
        "type": "boolean",
        "description": "True once the status cannot change any more."
      },
      "stage": {
        "type": "string",
        "description": "More values may be added."
      },
      "progress": {
        "type": "integer",
        "minimum": 0,
        "maximum": 100,
        "description": "Never falls within an attempt."
      },
      "queue_position": {
        "anyOf": [
          {
            "type": "integer",
            "description": "1 is next; null where nothing honest can be said."
          },
          {
            "type": "null"
          }
        ]
      },
      "estimated_completion_at": {
        "anyOf": [
          {
            "type": "integer",
            "description": "Null where nothing honest can be said. Unix seconds."
          },
          {
            "type": "null"
          }
        ]
      },
      "model": {
        "type": "string"
      },
      "prompt": {
        "type": "string"
      },
      "negative_prompt": {
        "anyOf": [
          {
            "type": "string"
          },
          {
            "type": "null"
          }
        ]
      },
      "resolution": {
        "enum": [
          "480p",
          "720p",
          "1080p"
        ],
        "type": "string"
      },
      "aspect_ratio": {
        "enum": [
          "16:9",
          "9:16",
          "4:3",
          "3:4",
          "21:9",
          "1:1"
        ],
        "type": "string"
      },
      "duration": {
        "type": "integer",
        "description": "Seconds."
      },
      "seed": {
        "type": "integer",
        "description": "The seed that was used; send it again for the same video."
      },
      "size": {
        "type": "string",
        "description": "Width and height of the delivered video, as `1280x720`."
      },
      "created_at": {
        "type": "integer",
        "description": "When the task was accepted. Unix seconds."
      },
      "completed_at": {
        "anyOf": [
          {
            "type": "integer",
            "description": "When it ended, however it ended. Unix seconds."
          },
          {
            "type": "null"
          }
        ]
      },
      "expires_at": {
        "anyOf": [
          {
            "type": "integer",
            "description": "When its files go. Unix seconds."
          },
          {
            "type": "null"
          }
        ]
      },
      "video_url": {
        "anyOf": [
          {
            "type": "string",
            "format": "uri",
            "description": "The same as video.url."
          },
          {
            "type": "null"
          }
        ]
      },
      "error": {
        "anyOf": [
          {
            "type": "object",
            "required": [
              "code",
              "message",
              "retryable",
              "stage"
            ],
            "properties": {
              "code": {
                "type": "string"
              },
              "message": {
                "type": "string"
              },
              "retryable": {
                "type": "boolean",
                "description": "Whether a new task of the same request may succeed."
              },
              "stage": {
                "type": "string"
              }
            },
            "description": "Why the task failed."
          },
          {
            "type": "null"
          }
        ]
      },
      "warnings": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "code",
            "param",
            "message"
          ],
          "properties": {
            "code": {
              "type": "string"
            },
            "param": {
              "anyOf": [
                {
                  "type": "string",
                  "description": "The parameter it is about."
                },
                {
                  "type": "null"
                }
              ]
            },
            "message": {
              "type": "string"
            }
          },
          "description": "Something that was accepted, but perhaps not as it was meant."
        }
      }
    },
    "required": [
      "task_id",
      "type",
      "status",
      "is_final",
      "stage",
      "progress",
      "queue_position",
      "estimated_completion_at",
      "model",
      "prompt",
      "negative_prompt",
      "resolution",
      "aspect_ratio",
      "duration",
      "seed",
      "size",
      "created_at",
      "completed_at",
      "expires_at",
      "video_url",
      "error",
      "warnings"
    ]
  },
  "model": {
    "type": "object",
    "required": [
      "id",
      "object",
      "created",
      "owned_by",
      "name",
      "description",
      "aliases",
      "available",
      "is_default",
      "capabilities",
      "price",
      "speeds"
    ],
    "properties": {
      "id": {
        "type": "string",
        "description": "Send it as `model`."
      },
      "object": {
        "type": "string",
        "const": "model"
      },
      "created": {
        "type": "integer",
        "description": "Always 0; for clients that expect it."
      },
      "owned_by": {
        "type": "string",
        "const": "kinora"
      },
      "name": {
        "type": "string"
      },
      "description": {
        "type": "string"
      },
      "aliases": {
        "type": "array",
        "items": {
          "type": "string"
        },
        "description": "Other names that `model` may have. A task shows the id."
      },
      "available": {
        "type": "boolean",
        "description": "Whether a server would take a task for it right now. While it is only busy or away, creates are accepted and wait."
      },
      "is_default": {
        "type": "boolean",
        "description": "Whether it serves a text prompt without any other field. Other requests may be served by another one."
      },
      "capabilities": {
        "type": "object",
        "required": [
          "types",
          "resolutions",
          "aspect_ratios",
          "durations",
          "fps",
          "negative_prompt"
        ],
        "properties": {
          "types": {
            "type": "array",
            "items": {
              "enum": [
                "text_to_video",
                "image_to_video"
              ],
              "type": "string"
            }
          },
          "resolutions": {
            "type": "array",
            "items": {
              "enum": [
                "480p",
                "720p",
                "1080p"
              ],
              "type": "string"
            }
          },
          "aspect_ratios": {
            "type": "array",
            "items": {
              "enum": [
                "16:9",
                "9:16",
                "4:3",
                "3:4",
                "21:9",
                "1:1"
              ],
              "type": "string"
            }
          },
          "durations": {
            "type": "object",
            "required": [
              "min",
              "max"
            ],
            "properties": {
              "min": {
                "type": "integer"
              },
              "max": {
                "type": "integer"
              }
            },
            "description": "The shortest and the longest video, in seconds."
          },
          "fps": {
            "type": "integer",
            "description": "Frames a second of the delivered video."
          },
          "negative_prompt": {
            "type": "boolean",
            "description": "Whether negative_prompt has an effect."
          }
        },
        "description": "Every combination of these can be asked for; any other is refused with unsupported_combination."
      },
      "price": {
        "anyOf": [
          {
            "type": "object",
            "required": [
              "currency",
              "per_second"
            ],
            "properties": {
              "currency": {
                "type": "string",
                "description": "ISO 4217, as `USD`."
              },
              "per_second": {
                "type": "object",
                "additionalProperties": {
                  "type": "string"
                },
                "description": "What a second of video costs, as a decimal number by resolution."
              }
            },
            "description": "It informs; nothing is charged."
          },
          {
            "type": "null"
          }
        ]
      },
      "speeds": {
        "type": "array",
        "items": {
          "type": "object",
          "required": [
            "resolution",
            "duration",
            "p50_seconds",
            "p90_seconds",
            "samples"
          ],
          "properties": {
            "resolution": {
              "enum": [
                "480p",
                "720p",
                "1080p"
              ],
              "type": "string"
            },
            "duration": {
              "type": "integer",
              "description": "Seconds of video."
            },
            "p50_seconds": {
              "type": "number",
              "description": "Median seconds from start to completion."
            },
            "p90_seconds": {
              "type": "number",
              "description": "90th percentile of the seconds from start to completion."
            },
            "samples": {
              "type": "integer",
              "description": "How many tasks this was measured on."
            }
          }
        },
        "description": "Measured on the newest completed tasks, where there were enough."
      }
    },
    "description": "A model of this installation."
  }
};
