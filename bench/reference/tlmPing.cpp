// The transaction-level reference: a SystemC TLM-2.0 initiator that reads and writes 64 bytes by b_transport through a
// router into one of two memories, and waits for the annotated time after each transaction, so that every one of them
// costs a visit of the scheduler.
//
//   tlmPing TRANSACTIONS      prints the processor time of one transaction in nanoseconds
//
// Build: c++ -O2 -std=c++17 tlmPing.cpp -lsystemc
#define SC_INCLUDE_DYNAMIC_PROCESSES
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

using sc_core::sc_time;
using Payload = tlm::tlm_generic_payload;

static const unsigned BYTES = 64;
static const size_t MEMORY_BYTES = 8u << 20;
static const unsigned long long SECOND_MEMORY = 1ull << 40;

static double processor_ns() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

struct Memory : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket;
  std::vector<unsigned char> bytes;

  explicit Memory(sc_core::sc_module_name name) : sc_module(name), socket("socket"), bytes(MEMORY_BYTES) {
    socket.register_b_transport(this, &Memory::transport);
  }

  void transport(Payload &t, sc_time &delay) {
    unsigned char *at = &bytes[t.get_address() & (MEMORY_BYTES - 1)];
    if (t.is_read()) memcpy(t.get_data_ptr(), at, t.get_data_length());
    else memcpy(at, t.get_data_ptr(), t.get_data_length());
    delay += sc_time(10, sc_core::SC_NS);
    t.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

struct Router : sc_core::sc_module {
  tlm_utils::simple_target_socket<Router> in;
  tlm_utils::simple_initiator_socket<Router> first, second;

  explicit Router(sc_core::sc_module_name name) : sc_module(name), in("in"), first("first"), second("second") {
    in.register_b_transport(this, &Router::transport);
  }

  void transport(Payload &t, sc_time &delay) {
    (t.get_address() & SECOND_MEMORY ? second : first)->b_transport(t, delay);
  }
};

struct Initiator : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Initiator> socket;
  long transactions;
  double nanoseconds = 0;
  unsigned char data[BYTES] = {};

  SC_HAS_PROCESS(Initiator);
  Initiator(sc_core::sc_module_name name, long transactions)
      : sc_module(name), socket("socket"), transactions(transactions) {
    SC_THREAD(run);
  }

  void one(Payload &t, unsigned long long i) {
    sc_time delay = sc_core::SC_ZERO_TIME;
    t.set_command(i & 1 ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    t.set_address((i & 2 ? SECOND_MEMORY : 0) | (i * 4160 & (MEMORY_BYTES - 1)));
    t.set_data_ptr(data);
    t.set_data_length(BYTES);
    t.set_streaming_width(BYTES);
    t.set_byte_enable_ptr(nullptr);
    t.set_dmi_allowed(false);
    t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    socket->b_transport(t, delay);
    if (t.is_response_error()) abort();
    wait(delay);
  }

  void run() {
    Payload t;
    for (long i = 0; i < 100000; i++) one(t, i); // warm-up
    double start = processor_ns();
    for (long i = 0; i < transactions; i++) one(t, i);
    nanoseconds = (processor_ns() - start) / transactions;
    sc_core::sc_stop();
  }
};

int sc_main(int count, char **words) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
  Initiator initiator("initiator", count > 1 ? atol(words[1]) : 1000000);
  Router router("router");
  Memory first("first"), second("second");
  initiator.socket.bind(router.in);
  router.first.bind(first.socket);
  router.second.bind(second.socket);
  sc_core::sc_start();
  printf("%.1f\n", initiator.nanoseconds);
  return 0;
}
