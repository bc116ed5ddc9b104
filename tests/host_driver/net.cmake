# SPDX-License-Identifier: Apache-2.0
# The network stack, its workloads and the far end.
nicsim_test(test_host_net
  SOURCES
    net_congestion_test.cpp
    net_headers_test.cpp
    net_receiver_test.cpp
    net_sender_test.cpp
    net_stream_test.cpp
    test_far_port.cpp
    test_forwarder.cpp
    test_generator_pause.cpp
    test_traffic_generator.cpp
  DEPENDS nicsim::host_net)
