#include "pool.h"

#include <math.h>
#include <stdlib.h>

#include "job.h"

/* Tells the core that the thread only waits. */
#if defined(__x86_64__) || defined(__i386__)
#define OL_RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__) && defined(__GNUC__)
#define OL_RELAX() __asm__ volatile("yield")
#else
#define OL_RELAX() ((void)0)
#endif

/* libuv's own limits for UV_THREADPOOL_SIZE. */
#define POOL_SIZE_DEFAULT 4
#define POOL_SIZE_MAX 1024

/* One lock and one delivery per so much short work, or so many jobs. */
#define BATCH_COST 40000
#define BATCH_JOBS 32

/* A further drain is worth waking for short jobs only if so many nanoseconds of them wait for each
 * drain that is there already: waking a thread costs 15 to 30 microseconds. */
#define WAKE_COST 40000

/* How long a drain that has run out of short work looks for more before it ends: as long as waking
 * another in its place would take. */
#define SPIN_NANOSECONDS 20000

/* The outbox holds at most so much. */
#define OUTBOX_COST 20000
#define OUTBOX_JOBS 16

typedef struct drain {
  uv_work_t work;
  struct drain *next;
  ol_contexts contexts;
  ol_lane last;
} drain;

/* Drains belong to a loop of the pool's own, which no thread ever blocks in: every use of it is
 * under the lock. So a drain serves all environments and outlives any, and the end of an
 * environment waits for its own running jobs only. */
static struct {
  uv_mutex_t lock;
  uv_loop_t loop;
  ol_env *envs; /* ring; the next to be served */
  drain *idle;  /* drains that libuv is done with */
  unsigned pool_size;
  unsigned concurrency;
  unsigned drains;       /* started and not ended */
  unsigned long_running; /* of them, in a long job */
  ol_lane last;          /* which had the last place that a drain could take */
  size_t queued[OL_LANE_COUNT];
  uint64_t queued_cost[OL_LANE_COUNT];
  bool spins;           /* there is another core to wait on */
  bool spinning;        /* one drain is looking for work */
  atomic_uint arrivals; /* counts submissions; read without the lock by the drain that spins */
} pool;

static uv_once_t once = UV_ONCE_INIT;
static bool ready;

static void queue_append(ol_queue *queue, ol_job *job) {
  job->next = NULL;
  job->previous = queue->last;
  if (queue->last == NULL) {
    queue->first = job;
  } else {
    queue->last->next = job;
  }
  queue->last = job;
  queue->count++;
  queue->cost += job->cost;
}

static void queue_remove(ol_queue *queue, ol_job *job) {
  if (job->previous == NULL) {
    queue->first = job->next;
  } else {
    job->previous->next = job->next;
  }
  if (job->next == NULL) {
    queue->last = job->previous;
  } else {
    job->next->previous = job->previous;
  }
  queue->count--;
  queue->cost -= job->cost;
}

static unsigned size_of_pool(void) {
  char text[16] = "";
  size_t size = sizeof(text);
  if (uv_os_getenv("UV_THREADPOOL_SIZE", text, &size) != 0) return POOL_SIZE_DEFAULT;
  int value = atoi(text);
  if (value <= 0) return 1;
  return value > POOL_SIZE_MAX ? POOL_SIZE_MAX : (unsigned)value;
}

static unsigned max_unsigned(unsigned a, unsigned b) {
  return a > b ? a : b;
}
static unsigned min_unsigned(unsigned a, unsigned b) {
  return a < b ? a : b;
}

static void init(void) {
  if (uv_mutex_init(&pool.lock) != 0 || uv_loop_init(&pool.loop) != 0) return;
  pool.pool_size = size_of_pool();
  unsigned cores = uv_available_parallelism();
  pool.spins = cores > 1;
  /* One thread is left to fs and dns, one to short jobs. */
  pool.concurrency = max_unsigned(1, min_unsigned(cores, max_unsigned(pool.pool_size, 3) - 2));
  ready = true;
}

bool ol_pool_init(void) {
  uv_once(&once, init);
  return ready;
}

static unsigned drains_max(void) {
  return max_unsigned(1, min_unsigned(pool.concurrency + 1, max_unsigned(pool.pool_size, 2) - 1));
}

static unsigned long_max(void) {
  return min_unsigned(pool.concurrency, drains_max());
}

/* How many drains, besides those in a long job, the waiting work deserves. */
static unsigned drains_wanted(void) {
  unsigned wanted = 0;
  if (pool.queued[OL_LANE_SHORT] > 0) {
    uint64_t by_cost = 1 + pool.queued_cost[OL_LANE_SHORT] / WAKE_COST;
    wanted = by_cost < pool.concurrency ? (unsigned)by_cost : pool.concurrency;
  }
  unsigned room = long_max() - min_unsigned(pool.long_running, long_max());
  size_t longs = pool.queued[OL_LANE_LONG];
  return wanted + (longs < room ? (unsigned)longs : room);
}

static void drain_ended(uv_work_t *work, int status) {
  (void)status;
  drain *self = work->data;
  self->next = pool.idle;
  pool.idle = self;
}

static void drain_run(uv_work_t *work);

/* Under the lock. False: no memory for a drain; the running ones, or the next submission, go on. */
static bool drain_start(void) {
  if (pool.idle == NULL) uv_run(&pool.loop, UV_RUN_NOWAIT);
  drain *self = pool.idle;
  if (self == NULL) {
    self = calloc(1, sizeof(*self));
    if (self == NULL) return false;
    self->work.data = self;
  } else {
    pool.idle = self->next;
  }
  self->last = OL_LANE_SHORT;
  if (uv_queue_work(&pool.loop, &self->work, drain_run, drain_ended) != 0) {
    self->next = pool.idle;
    pool.idle = self;
    return false;
  }
  pool.drains++;
  return true;
}

static void drains_start(void) {
  while (pool.drains < drains_max() && pool.drains - pool.long_running < drains_wanted()) {
    if (!drain_start()) return;
  }
}

/* Long work waits while it would take the last place for short work, unless short work has had that
 * place just before: neither lane starves. */
static bool lane_choose(ol_lane *lane) {
  bool shorts = pool.queued[OL_LANE_SHORT] > 0;
  bool longs = pool.queued[OL_LANE_LONG] > 0 && pool.long_running < long_max();
  if (!shorts && !longs) return false;
  bool room = drains_max() - pool.long_running >= 2;
  bool turn = pool.last == OL_LANE_SHORT;
  *lane = longs && (!shorts || room || turn) ? OL_LANE_LONG : OL_LANE_SHORT;
  if (!room) pool.last = *lane;
  return true;
}

static void job_take(ol_env *env, ol_job *job) {
  queue_remove(&env->lanes[job->lane], job);
  pool.queued[job->lane]--;
  pool.queued_cost[job->lane] -= job->cost;
}

/* The next jobs for a drain: a batch of short ones of one environment, or one long one, linked by
 * `next`; NULL when there are none. The ring moves on, so environments take turns. */
static ol_job *batch_take(drain *self) {
  ol_lane lane;
  if (!lane_choose(&lane)) return NULL;
  self->last = lane;
  ol_env *env = pool.envs;
  while (env->lanes[lane].count == 0)
    env = env->next;
  pool.envs = env->next;
  size_t most = lane == OL_LANE_LONG ? 1 : BATCH_JOBS;
  /* Leave some to another drain that was, or could be, woken for them. */
  if (lane == OL_LANE_SHORT && env->lanes[lane].cost > WAKE_COST) {
    size_t half = (env->lanes[lane].count + 1) / 2;
    most = half < most ? half : most;
  }
  ol_job *first = NULL, **tail = &first;
  uint64_t cost = 0;
  for (size_t taken = 0; taken < most && cost < BATCH_COST && env->lanes[lane].first; taken++) {
    ol_job *job = env->lanes[lane].first;
    job_take(env, job);
    job->stage = OL_JOB_RUNNING;
    job->next = NULL;
    env->running++;
    cost += job->cost;
    *tail = job;
    tail = &job->next;
  }
  if (lane == OL_LANE_LONG) pool.long_running++;
  return first;
}

static void batch_finish(const drain *self, ol_job *first) {
  ol_env *env = first->env;
  bool quiet = env->done.count == 0;
  for (ol_job *job = first, *next; job != NULL; job = next) {
    next = job->next;
    job->stage = OL_JOB_DONE;
    env->running--;
    queue_append(&env->done, job);
  }
  if (self->last == OL_LANE_LONG) pool.long_running--;
  /* Under the lock: the environment closes `wake` only after it has seen that nothing runs. */
  if (quiet) uv_async_send(env->wake);
}

/* Looks for short work that arrives soon, without the lock meanwhile. One drain at a time. */
static void drain_spin(void) {
  unsigned seen = atomic_load_explicit(&pool.arrivals, memory_order_relaxed);
  pool.spinning = true;
  uv_mutex_unlock(&pool.lock);
  uint64_t end = uv_hrtime() + SPIN_NANOSECONDS;
  /* The clock is read now and then only: reading it takes as long as many looks. */
  for (unsigned looks = 1; atomic_load_explicit(&pool.arrivals, memory_order_relaxed) == seen;
       looks++) {
    if (looks % 32 == 0 && uv_hrtime() >= end) break;
    OL_RELAX();
  }
  uv_mutex_lock(&pool.lock);
  pool.spinning = false;
}

/* The next batch, waited for a moment if short work has just been done. */
static ol_job *drain_next(drain *self) {
  ol_job *batch = batch_take(self);
  if (batch != NULL || !pool.spins || pool.spinning || self->last != OL_LANE_SHORT) return batch;
  drain_spin();
  return batch_take(self);
}

static void drain_run(uv_work_t *work) {
  drain *self = work->data;
  uv_mutex_lock(&pool.lock);
  for (ol_job *batch; (batch = drain_next(self)) != NULL;) {
    drains_start();
    uv_mutex_unlock(&pool.lock);
    for (ol_job *job = batch; job != NULL; job = job->next) {
      ol_job_run(job, &self->contexts, &job->cancel);
    }
    uv_mutex_lock(&pool.lock);
    batch_finish(self, batch);
    /* A single thread cannot be left to others: they take turns with it. */
    if (pool.pool_size == 1) break;
  }
  pool.drains--;
  drains_start();
  uv_mutex_unlock(&pool.lock);
}

void ol_pool_add(ol_env *env) {
  uv_mutex_lock(&pool.lock);
  if (pool.envs == NULL) {
    pool.envs = env->next = env->previous = env;
  } else {
    env->next = pool.envs;
    env->previous = pool.envs->previous;
    env->previous->next = env;
    pool.envs->previous = env;
  }
  uv_mutex_unlock(&pool.lock);
}

void ol_pool_remove(ol_env *env) {
  uv_mutex_lock(&pool.lock);
  env->previous->next = env->next;
  env->next->previous = env->previous;
  if (pool.envs == env) pool.envs = env->next == env ? NULL : env->next;
  uv_mutex_unlock(&pool.lock);
}

static void job_queue(ol_env *env, ol_job *job) {
  job->stage = OL_JOB_QUEUED;
  queue_append(&env->lanes[job->lane], job);
  pool.queued[job->lane]++;
  pool.queued_cost[job->lane] += job->cost;
  atomic_fetch_add_explicit(&pool.arrivals, 1, memory_order_relaxed);
}

static void outbox_queue(ol_env *env) {
  for (ol_job *job = env->outbox.first, *next; job != NULL; job = next) {
    next = job->next;
    job_queue(env, job);
  }
  env->outbox = (ol_queue){NULL, NULL, 0, 0};
}

static bool may_wait(const ol_env *env, const ol_job *job, double max_queued) {
  return job->lane == OL_LANE_SHORT && env->pending > 0 && isinf(max_queued) &&
         env->outbox.count < OUTBOX_JOBS && env->outbox.cost < OUTBOX_COST;
}

ol_submit ol_pool_submit(ol_job *job, double max_queued) {
  ol_env *env = job->env;
  if (may_wait(env, job, max_queued)) {
    job->stage = OL_JOB_WAITING;
    queue_append(&env->outbox, job);
    return OL_SUBMIT_WAITING;
  }
  uv_mutex_lock(&pool.lock);
  outbox_queue(env);
  size_t queued = env->lanes[OL_LANE_SHORT].count + env->lanes[OL_LANE_LONG].count;
  /* What an idle thread takes at once does not wait. */
  bool idle = queued == 0 && pool.drains < drains_max();
  bool taken = idle || (double)queued < max_queued;
  if (taken) job_queue(env, job);
  drains_start();
  uv_mutex_unlock(&pool.lock);
  return taken ? OL_SUBMIT_QUEUED : OL_SUBMIT_REFUSED;
}

void ol_pool_flush(ol_env *env) {
  if (env->outbox.count == 0) return;
  uv_mutex_lock(&pool.lock);
  outbox_queue(env);
  drains_start();
  uv_mutex_unlock(&pool.lock);
}

bool ol_pool_cancel(ol_job *job) {
  uv_mutex_lock(&pool.lock);
  bool waiting = job->stage == OL_JOB_WAITING;
  bool queued = job->stage == OL_JOB_QUEUED;
  if (waiting) queue_remove(&job->env->outbox, job);
  if (queued) job_take(job->env, job);
  if (waiting || queued) job->stage = OL_JOB_IDLE;
  uv_mutex_unlock(&pool.lock);
  ol_flag_set(&job->cancel);
  return waiting || queued;
}

ol_job *ol_pool_take_done(ol_env *env, size_t *running) {
  uv_mutex_lock(&pool.lock);
  ol_job *first = env->done.first;
  env->done = (ol_queue){NULL, NULL, 0, 0};
  *running = env->running;
  uv_mutex_unlock(&pool.lock);
  return first;
}

ol_pool_counts ol_pool_count(ol_env *env) {
  uv_mutex_lock(&pool.lock);
  size_t queued = env->lanes[OL_LANE_SHORT].count + env->lanes[OL_LANE_LONG].count;
  ol_pool_counts counts = {queued + env->outbox.count, env->running, drains_max()};
  uv_mutex_unlock(&pool.lock);
  return counts;
}

unsigned ol_pool_concurrency(void) {
  uv_mutex_lock(&pool.lock);
  unsigned concurrency = pool.concurrency;
  uv_mutex_unlock(&pool.lock);
  return concurrency;
}

unsigned ol_pool_set_concurrency(unsigned wanted) {
  uv_mutex_lock(&pool.lock);
  unsigned most = max_unsigned(pool.pool_size, 2) - 1;
  pool.concurrency = max_unsigned(1, min_unsigned(wanted, most));
  unsigned concurrency = pool.concurrency;
  drains_start();
  uv_mutex_unlock(&pool.lock);
  return concurrency;
}
